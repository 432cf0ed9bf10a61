-- What all scripts share. Numbers of our own entries in a job's stream of events begin here.
local OWN = 1000000000000
local GROUP = 'workers'

local function text(number)
  return string.format('%.0f', number)
end

-- The two parts of a stream id.
local function parts(id)
  local ms, seq = string.match(id, '^(%d+)-(%d+)$')
  return tonumber(ms), tonumber(seq)
end

-- The number of our newest entry in a stream of events, 0 if there is none; looks back at most so
-- many entries, and gives nothing if that did not tell.
local function newest_own(events, looks)
  local before = '+'
  while looks > 0 do
    local count = math.min(looks, 100)
    local page = redis.call('XREVRANGE', events, before, '-', 'COUNT', count)
    for _, entry in ipairs(page) do
      local _, seq = parts(entry[1])
      if seq >= OWN then
        return seq - OWN
      end
    end
    if #page < count then
      return 0
    end
    before = '(' .. page[#page][1]
    looks = looks - count
  end
end

-- Where the queues of worker-api have a task with this status.
local function place(status)
  if not status then
    return 'none'
  elseif status == 'PENDING' or status == 'RETRY' then
    return 'pending'
  elseif status == 'FAILURE' then
    return 'failed'
  elseif status == 'SUCCESS' or status == 'REVOKED' then
    return 'none'
  end
  return 'processing'
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

-- A worker of the group has it and has not acknowledged it.
local function is_delivered(queue, message)
  local pending = redis.pcall('XPENDING', queue, GROUP, message, message, 1)
  return not pending.err and #pending > 0
end
