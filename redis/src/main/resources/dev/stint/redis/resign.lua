-- Lets another control plane relay at once.
if redis.call('GET', 'stint:relay') == ARGV[1] then
  redis.call('DEL', 'stint:relay')
end
return 'ok'
