-- Writes a job's keys as the store has it. Answers 'ok'; 'stale' if a later state of it has been
-- written already; 'gap' if the stream lacks events before those given.
local id, mode, ttl, queue, wanted, key = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local after, newest = tonumber(ARGV[7]), tonumber(ARGV[8])
local where, since = ARGV[9], ARGV[10]
local next = 11

local function fields()
  local count = tonumber(ARGV[next])
  local list = {}
  for i = 1, count do
    list[i] = ARGV[next + i]
  end
  next = next + count + 1
  return list
end

local job, events = 'job:' .. id, 'job:' .. id .. ':events'
local hash, task = fields(), fields()

local has_events = next <= #ARGV
local last = newest_own(events, (has_events or after > 0) and 100000 or 1)
if last then
  if last > newest then
    return 'stale'
  elseif last < after then
    return 'gap'
  end
end
last = last or after

local messages = 'stint:messages:' .. queue
local entry = redis.call('HGET', messages, id)
local enqueue, message
if entry then
  enqueue, message = string.match(entry, '^(%S+) (%S+)$')
end
local isThere = message and message ~= 'taken'
-- The group has given it to a worker; the store may learn that a moment later.
local isGiven = isThere and (wanted == 'none' or wanted == 'withdraw' or wanted == enqueue)
  and is_delivered(queue, message)

-- What the worker that holds it writes itself is left as it wrote it.
if mode == 'native' or (isGiven and mode == 'own') then
  for i = 1, #hash, 2 do
    redis.call('HSETNX', job, hash[i], hash[i + 1])
  end
else
  redis.call('HSET', job, unpack(hash))
end

-- What a worker of the stream wrote itself stands there already, unless all has been lost.
if has_events then
  local ms, seq = 0, 0
  local top = redis.call('XREVRANGE', events, '+', '-', 'COUNT', 1)
  if top[1] then
    ms, seq = parts(top[1][1])
  end
  while next <= #ARGV do
    local number = tonumber(ARGV[next])
    if number > last and (ARGV[next + 1] == 'ours' or not top[1]) then
      local at = tonumber(ARGV[next + 3])
      if at > ms then
        ms = at
      elseif seq >= own_seq(number) then
        ms = ms + 1
      end
      seq = own_seq(number)
      redis.call('XADD', events, text(ms) .. '-' .. text(seq), 'type', ARGV[next + 2],
        'ts', ARGV[next + 3], 'step', ARGV[next + 4], 'data', ARGV[next + 5])
    end
    next = next + 6
  end
end

if #task > 0 then
  local before = place(redis.call('HGET', 'task:' .. id, 'status'))
  if before ~= where then
    leave(before, id)
    if where == 'pending' then
      redis.call('LPUSH', 'queue:pending', id)
    end
  end
  if where == 'processing' or where == 'failed' then
    redis.call('ZADD', 'queue:' .. where, since, id)
  end
  redis.call('HSET', 'task:' .. id, unpack(task))
end

local kept = {job, events}
if #task > 0 then
  kept[#kept + 1] = 'task:' .. id
end
if key ~= '' then
  redis.call('SET', 'idempotency:' .. key, id)
  kept[#kept + 1] = 'idempotency:' .. key
end
for _, name in ipairs(kept) do
  if ttl == '' then
    redis.call('PERSIST', name)
  else
    redis.call('PEXPIRE', name, ttl)
  end
end

if wanted ~= 'leave' then
  -- A message that a worker has is taken from it when it is known what that means for the job.
  if wanted == 'none' then
    if isThere and not isGiven then
      drop(queue, message)
    end
    if entry and not isGiven then
      redis.call('HDEL', messages, id)
    end
  elseif wanted == 'withdraw' then
    if isThere and not isGiven then
      drop(queue, message)
      redis.call('HDEL', messages, id)
    end
  elseif enqueue ~= wanted then
    if isThere then
      drop(queue, message)
    end
    local isNew = redis.call('EXISTS', queue) == 0
    local added = redis.call('XADD', queue, '*', 'job_id', id, 'enqueue_id', wanted,
      'task', hash[4], 'payload', hash[6])
    if isNew then
      redis.call('XGROUP', 'CREATE', queue, GROUP, '0')
    end
    redis.call('HSET', messages, id, wanted .. ' ' .. added)
  end
end
return 'ok'
