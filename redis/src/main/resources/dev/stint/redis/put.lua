-- Writes jobs that are over and of which nobody was shown anything, each key as a whole. Given of each job its id, how
-- long it is kept, its idempotency key or '', its queue, its hash and its events, the last two as Redis dumps them.
-- Answers for each job: 'ok'; 'shown' if it has a message, which only mirror.lua can take away; else why it cannot be
-- written in this way.
local function put(id, ttl, key, queue, hash, events)
  local job, messages = 'job:' .. id, 'stint:messages:' .. queue
  -- A claim may have said that it took the message before there was any.
  local entry = redis.call('HGET', messages, id)
  if entry and not string.find(entry, ' taken$') then
    return 'shown'
  end
  redis.call('RESTORE', job .. ':events', ttl, events)
  redis.call('RESTORE', job, ttl, hash)
  if key ~= '' then
    redis.call('SET', 'idempotency:' .. key, id, 'PX', ttl)
  end
  if entry then
    redis.call('HDEL', messages, id)
  end
  return 'ok'
end

local answers = {}
for i = 1, #ARGV, 6 do
  local fine, answer = pcall(put, unpack(ARGV, i, i + 5))
  if not fine and type(answer) == 'table' then
    answer = answer.err
  end
  answers[#answers + 1] = tostring(answer)
end
return answers
