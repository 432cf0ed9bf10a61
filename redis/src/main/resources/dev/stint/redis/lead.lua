-- Makes or keeps this control plane the one that relays, if no other is and Redis is no other database's. Answers whether
-- it is, and what was relayed last; 'foreign' if Redis is another's.
local store = redis.call('GET', 'stint:store')
if store and store ~= ARGV[3] then
  return {'foreign', ''}
end
local owner = redis.call('GET', 'stint:relay')
if not owner or owner == ARGV[1] then
  owner = ARGV[1]
  redis.call('SET', 'stint:relay', owner, 'PX', ARGV[2])
  redis.call('SET', 'stint:store', ARGV[3])
end
return {owner == ARGV[1] and 'yes' or 'no', redis.call('GET', 'stint:relayed') or ''}
