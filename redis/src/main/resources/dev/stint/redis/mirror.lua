-- Writes the keys of jobs as the store has them. Given of each job what is packed in one argument.
-- Answers for each job: 'ok'; 'claimed' if its message was left to the claim that has it; 'stale' if a later state of it
-- has been written already; 'gap' if the stream lacks events before those given; else why it cannot be written.
local function write(given)
  local id, mode, ttl, queue, wanted, key, after, newest, where, since, hash, task, news = unpack(given)
  after, newest = tonumber(after), tonumber(newest)
  local job, events = 'job:' .. id, 'job:' .. id .. ':events'
  local has_events = #news > 0
  local looks = after > 0 and 1000 or has_events and LONGEST or 1
  local last, top = newest_own(events, looks)
  -- Where ours are out of sight behind what a worker wrote, older ones have been there, and may be gone for good.
  local oldest = 0
  if has_events and not last and after == 0 then
    oldest = parts(redis.call('XRANGE', events, '-', '+', 'COUNT', 1)[1][1])
  end
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
  local isGiven = isThere and (wanted == 'none' or wanted == 'claimed' or wanted == 'withdraw' or wanted == enqueue)
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
    if top then
      ms, seq = parts(top)
    end
    local written = own_seq(last)
    for i = 1, #news, 6 do
      local own, ts = tonumber(news[i]), news[i + 3]
      if own > written and (news[i + 1] == 'ours' or not top) and tonumber(ts) > oldest then
        local at, time = tonumber(ts), ts
        if at < ms or (at == ms and own <= seq) then
          at = own <= seq and ms + 1 or ms
          time = text(at)
        end
        ms, seq = at, own
        redis.call('XADD', events, time .. '-' .. news[i], 'type', news[i + 2],
          'ts', ts, 'step', news[i + 4], 'data', news[i + 5])
      end
    end
    redis.call('XTRIM', events, 'MAXLEN', '~', LONGEST)
  end

  if #task > 0 then
    local before = place(id) or 'none'
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
    elseif wanted == 'claimed' then
      -- The claim takes the message itself.
      if isThere then
        return 'claimed'
      elseif entry then
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
end

local answers = {}
for i, packed in ipairs(ARGV) do
  local fine, answer = pcall(write, cmsgpack.unpack(packed))
  if not fine and type(answer) == 'table' then
    answer = answer.err
  end
  answers[i] = tostring(answer)
end
return answers
