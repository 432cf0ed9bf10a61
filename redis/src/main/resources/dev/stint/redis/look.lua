-- Says which keys of a job are not as mirror.lua would write them, and what is wrong with each; takes
-- the same arguments.
local id, mode, ttl, queue, wanted, key, _, newest, where, since, hash, task, news = unpack(cmsgpack.unpack(ARGV[1]))
since = tonumber(since)
local SLACK = 60000
local LIVE = {status = true, updated_ts = true, result = true, error = true}
local different = {}

local function differs(name, what)
  different[#different + 1] = name
  different[#different + 1] = what
end

local function fields(list)
  local names, values = {}, {}
  for i = 1, #list, 2 do
    names[#names + 1] = list[i]
    values[#values + 1] = list[i + 1]
  end
  return names, values
end

local function compare(name, names, values, without)
  local found = redis.call('HMGET', name, unpack(names))
  for i, field in ipairs(names) do
    if not without[field] and found[i] ~= values[i] then
      differs(name, redis.call('EXISTS', name) == 0 and 'is missing' or 'has another ' .. field)
      return
    end
  end
end

local function lives(name)
  local left = redis.call('PTTL', name)
  -- The worker that has the job says how long its keys live.
  if left == -2 or mode == 'native' then
    return
  elseif (ttl == '') ~= (left == -1) or (ttl ~= '' and left < tonumber(ttl) - SLACK) then
    differs(name, 'lives for another time')
  end
end

local job, events = 'job:' .. id, 'job:' .. id .. ':events'
local types = {
  [job] = 'hash', [events] = 'stream', ['task:' .. id] = 'hash', ['stint:messages:' .. queue] = 'hash',
}
if #task > 0 then
  types['queue:processing'], types['queue:failed'] = 'zset', 'zset'
end
for name, expected in pairs(types) do
  local found = redis.call('TYPE', name).ok
  if found ~= 'none' and found ~= expected then
    differs(name, 'is of another type')
  end
end
if #different > 0 then
  return different
end

local names, values = fields(hash)
local isOver = values[4] == 'done' or values[4] == 'error' or values[4] == 'canceled'
compare(job, names, values, mode == 'native' and LIVE or {})
lives(job)

names, values = fields(task)
if #names > 0 then
  compare('task:' .. id, names, values, {})
  lives('task:' .. id)
  for _, list in ipairs({'processing', 'failed'}) do
    local score = redis.call('ZSCORE', 'queue:' .. list, id)
    if (list == where) ~= (score ~= false) then
      differs('queue:' .. list, (score and 'has ' or 'lacks ') .. id)
    elseif score and tonumber(score) ~= since then
      differs('queue:' .. list, 'has another time for ' .. id)
    end
  end
end

if #news > 0 then
  -- Only as far back as a stream is kept: what is older than that may be gone.
  local own, highest, looked, oldest = {}, 0, 0, 0
  local before = '+'
  repeat
    local page = redis.call('XREVRANGE', events, before, '-', 'COUNT', 500)
    for _, entry in ipairs(page) do
      local number = own_number(entry[1])
      if number then
        own[number] = true
        highest = math.max(highest, number)
      end
      before = '(' .. entry[1]
    end
    looked = looked + #page
    if looked >= LONGEST then
      oldest = parts(page[#page][1])
    end
  until #page < 500 or looked >= LONGEST
  if highest > tonumber(newest) then
    differs(events, 'has later events')
  else
    for i = 1, #news, 6 do
      local isKept = news[i + 1] == 'ours' and tonumber(news[i + 3]) > oldest
      if isKept and not own[number_of(tonumber(news[i]))] then
        differs(events, number_of(tonumber(news[i])) < highest and 'lacks an event between others'
          or 'lacks the newest events')
        break
      end
    end
  end
  lives(events)
end

if key ~= '' then
  if redis.pcall('GET', 'idempotency:' .. key) ~= id then
    differs('idempotency:' .. key, 'does not name ' .. id)
  else
    lives('idempotency:' .. key)
  end
end

if wanted ~= 'leave' and wanted ~= 'claimed' then
  local entry = redis.call('HGET', 'stint:messages:' .. queue, id)
  local enqueue, message
  if entry then
    enqueue, message = string.match(entry, '^(%S+) (%S+)$')
  end
  local isThere = message and message ~= 'taken'
    and #redis.pcall('XRANGE', queue, message, message) > 0
  if wanted == 'none' then
    -- A claim says that it took the message; that goes with the job's next change. One that a worker
    -- got is taken from it when it is known what that means for the job.
    local isSettling = isThere and is_delivered(queue, message) or message == 'taken' and not isOver
    if entry and not isSettling then
      differs(queue, 'has a message for ' .. id)
    end
  elseif wanted == 'withdraw' then
    if entry and not (isThere and is_delivered(queue, message)) then
      differs(queue, 'has a message for ' .. id)
    end
  elseif enqueue ~= wanted or not isThere then
    differs(queue, 'lacks the message for ' .. id)
  end
end
return different
