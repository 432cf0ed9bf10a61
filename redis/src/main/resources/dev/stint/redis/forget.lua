-- Removes the keys of a job that is gone from the store, and its message.
local id, queue = ARGV[1], ARGV[2]
leave(place(redis.call('HGET', 'task:' .. id, 'status')), id)
redis.call('DEL', 'job:' .. id, 'job:' .. id .. ':events', 'task:' .. id)
if queue ~= '' then
  local messages = 'stint:messages:' .. queue
  local entry = redis.call('HGET', messages, id)
  if entry then
    local message = string.match(entry, ' (%S+)$')
    if message and message ~= 'taken' then
      drop(queue, message)
    end
    redis.call('HDEL', messages, id)
  end
end
return 'ok'
