-- Makes or keeps this control plane the one that relays, if no other is. Answers whether it is, and
-- what was relayed last.
local owner = redis.call('GET', 'stint:relay')
if not owner or owner == ARGV[1] then
  owner = ARGV[1]
  redis.call('SET', 'stint:relay', owner, 'PX', ARGV[2])
end
return {owner == ARGV[1] and 'yes' or 'no', redis.call('GET', 'stint:relayed') or ''}
