-- Says which keys of a job are not as mirror.lua would write them, and what is wrong with each; takes
-- the same arguments.
local id, mode, ttl, queue, wanted, key = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local where, since = ARGV[9], tonumber(ARGV[10])
local next = 11
local SLACK = 60000
local LIVE = {status = true, updated_ts = true, result = true, error = true}
local different = {}

local function differs(name, what)
  different[#different + 1] = name
  different[#different + 1] = what
end

local function fields()
  local count = tonumber(ARGV[next])
  local names, values = {}, {}
  for i = 1, count, 2 do
    names[#names + 1] = ARGV[next + i]
    values[#values + 1] = ARGV[next + i + 1]
  end
  next = next + count + 1
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
  if left == -2 then
    return
  elseif (ttl == '') ~= (left == -1) or (ttl ~= '' and left < tonumber(ttl) - SLACK) then
    differs(name, 'lives for another time')
  end
end

local job, events, task = 'job:' .. id, 'job:' .. id .. ':events', 'task:' .. id
local names, values = fields()
local isOver = values[4] == 'done' or values[4] == 'error' or values[4] == 'canceled'
compare(job, names, values, mode == 'native' and LIVE or {})
lives(job)

names, values = fields()
if #names > 0 then
  compare(task, names, values, {})
  lives(task)
  for _, list in ipairs({'processing', 'failed'}) do
    local score = redis.call('ZSCORE', 'queue:' .. list, id)
    if (list == where) ~= (score ~= false) then
      differs('queue:' .. list, (score and 'has ' or 'lacks ') .. id)
    elseif score and tonumber(score) ~= since then
      differs('queue:' .. list, 'has another time for ' .. id)
    end
  end
end

if next <= #ARGV then
  local own, highest = {}, 0
  local from = '-'
  repeat
    local page = redis.call('XRANGE', events, from, '+', 'COUNT', 500)
    for _, entry in ipairs(page) do
      local number = own_number(entry[1])
      if number then
        own[number] = true
        highest = number
      end
      from = '(' .. entry[1]
    end
  until #page < 500
  if highest > tonumber(ARGV[8]) then
    differs(events, 'has later events')
    next = #ARGV + 1
  end
  while next <= #ARGV do
    if ARGV[next + 1] == 'ours' and not own[tonumber(ARGV[next])] then
      differs(events, tonumber(ARGV[next]) < highest and 'lacks an event between others'
        or 'lacks the newest events')
      break
    end
    next = next + 6
  end
  lives(events)
end

if key ~= '' then
  if redis.call('GET', 'idempotency:' .. key) ~= id then
    differs('idempotency:' .. key, 'does not name ' .. id)
  else
    lives('idempotency:' .. key)
  end
end

if wanted ~= 'leave' then
  local entry = redis.call('HGET', 'stint:messages:' .. queue, id)
  local enqueue, message
  if entry then
    enqueue, message = string.match(entry, '^(%S+) (%S+)$')
  end
  local isThere = message and message ~= 'taken'
    and #redis.call('XRANGE', queue, message, message) > 0
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
