-- Removes the keys of a job that is gone from the store, and its message.
local id, queue = ARGV[1], ARGV[2]
if queue == 'tasks' or queue == '' then
  -- Without a status it may still be in the list: its hash goes by itself when its time is over.
  leave(place(id) or queue == 'tasks' and 'pending' or 'none', id)
end
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
