-- What all scripts share. The ids of our own entries in a job's stream of events: a worker's entry of
-- the same millisecond is given the next one by Redis, so that ours stand apart.
local OWN, STEP = 1000000000000, 1000
local GROUP = 'workers'

-- About so many entries a stream of events keeps, ten times as many as the store keeps of what workers tell.
local LONGEST = 10000

-- Before Redis 7, scripts that look at a group and then write have to say so.
redis.replicate_commands()

local function text(number)
  return string.format('%.0f', number)
end

-- The two parts of a stream id.
local function parts(id)
  local ms, seq = string.match(id, '^(%d+)-(%d+)$')
  return tonumber(ms), tonumber(seq)
end

local function own_seq(number)
  return OWN + number * STEP
end

local function number_of(seq)
  return (seq - OWN) / STEP
end

-- The number of the event that an entry of ours is about; nothing if it is not ours.
local function own_number(id)
  local _, seq = parts(id)
  if seq >= OWN and (seq - OWN) % STEP == 0 then
    return number_of(seq)
  end
end

-- The number of our newest entry in a stream of events, 0 if there is none; looks back at most so
-- many entries, and gives nothing if that did not tell. Gives the id of the newest of all besides.
local function newest_own(events, looks)
  local before, count, top = '+', 1, nil
  while looks > 0 do
    local page = redis.call('XREVRANGE', events, before, '-', 'COUNT', count)
    top = top or page[1] and page[1][1]
    for _, entry in ipairs(page) do
      local number = own_number(entry[1])
      if number then
        return number, top
      end
    end
    if #page < count then
      return 0, top
    end
    before = '(' .. page[#page][1]
    looks = looks - count
    count = math.min(looks, 100)
  end
  return nil, top
end

-- Where the queues of worker-api have a task. Its status is what its worker calls it, so that it tells only of tasks that
-- are in neither sorted set; nothing if it has expired.
local function place(id)
  if redis.call('ZSCORE', 'queue:processing', id) then
    return 'processing'
  elseif redis.call('ZSCORE', 'queue:failed', id) then
    return 'failed'
  end
  local status = redis.call('HGET', 'task:' .. id, 'status')
  if not status then
    return nil
  end
  return (status == 'PENDING' or status == 'RETRY') and 'pending' or 'none'
end

local function leave(where, id)
  if where == 'pending' then
    redis.call('LREM', 'queue:pending', -1, id)
  elseif where ~= 'none' then
    redis.call('ZREM', 'queue:' .. where, id)
  end
end

-- Takes a message out of its stream for good.
local function drop(queue, message)
  redis.call('XACK', queue, GROUP, message)
  redis.call('XDEL', queue, message)
end

-- Up to which message the group of a stream has given them out; nothing if there is no such group.
local function last_delivered(queue)
  local groups = redis.pcall('XINFO', 'GROUPS', queue)
  for _, group in ipairs(groups.err and {} or groups) do
    local named = {}
    for i = 1, #group, 2 do
      named[group[i]] = group[i + 1]
    end
    if named['name'] == GROUP then
      return named['last-delivered-id']
    end
  end
end

local function is_after(one, other)
  local ms, seq = parts(one)
  local other_ms, other_seq = parts(other)
  return ms > other_ms or (ms == other_ms and seq > other_seq)
end

-- The group has given it to a worker, which may have acknowledged it meanwhile.
local function is_delivered(queue, message)
  local last = last_delivered(queue)
  return last and not is_after(message, last)
    and #redis.call('XRANGE', queue, message, message) > 0
end
