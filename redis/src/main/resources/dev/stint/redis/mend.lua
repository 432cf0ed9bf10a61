-- Clears what mirror.lua would take for right, so that it writes all of a job anew. The mark of a claim stays unless
-- there was none: a relay that read the job before the claim may be about to write it.
local id, queue, isTask, events, unclaimed = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
-- What is named as a key of this job and is of another type is in its way.
for name, expected in pairs({
  ['job:' .. id] = 'hash', ['job:' .. id .. ':events'] = 'stream', ['task:' .. id] = 'hash',
  ['stint:messages:' .. queue] = 'hash',
}) do
  local found = redis.call('TYPE', name).ok
  if found ~= 'none' and found ~= expected then
    redis.call('DEL', name)
  end
end
if events == 'anew' then
  redis.call('DEL', 'job:' .. id .. ':events')
end
if isTask == 'task' then
  redis.call('LREM', 'queue:pending', 0, id)
  redis.call('ZREM', 'queue:processing', id)
  redis.call('ZREM', 'queue:failed', id)
  redis.call('HDEL', 'task:' .. id, 'status')
end
local messages = 'stint:messages:' .. queue
local entry = redis.call('HGET', messages, id)
if entry then
  local message = string.match(entry, ' (%S+)$')
  local isWrong = unclaimed == 'unclaimed'
  if message ~= 'taken' then
    isWrong = #redis.call('XRANGE', queue, message, message) == 0
  end
  if isWrong then
    redis.call('HDEL', messages, id)
  end
end
return 'ok'
