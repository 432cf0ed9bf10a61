-- What the group of each stream has given out.
-- Given how many messages of a stream to tell of at most, and of each stream its name, the id up to which its messages
-- are known, and the id behind which to look at those that nobody has acknowledged.
-- Answers for each stream: the id up to which messages were given out ("" if it has no group), the id up to which
-- they are told of, {message, job id, enqueue id, …} of the new ones, {message, consumer, when that gave the last sign
-- of life, …} of those of them and of a part of all that nobody has acknowledged, and the id up to which that part goes
-- ("" if it goes to the end).
local PAGE, MESSAGES = 1000, 100
local most = tonumber(ARGV[1])

local function field(fields, name)
  for i = 1, #fields, 2 do
    if fields[i] == name then
      return fields[i + 1]
    end
  end
  return ''
end

-- Adds what nobody has acknowledged in this range; gives the id of the last one if there may be more. The time is
-- Redis's own, as is how long nothing was heard of a consumer: together they tell when that was.
local function add_pending(pending, stream, from, to)
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local page = redis.call('XPENDING', stream, GROUP, from, to, PAGE)
  for _, one in ipairs(page) do
    pending[#pending + 1] = one[1]
    pending[#pending + 1] = one[2]
    pending[#pending + 1] = text(now - one[3])
  end
  return #page == PAGE and page[#page][1] or nil
end

local answers = {}
for i = 2, #ARGV, 3 do
  local stream, known, behind = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local last = last_delivered(stream)
  local told, messages, pending, upTo = known, {}, {}, ''
  -- A group that has gone back is another one: the stream was lost and made anew.
  if last and not is_after(known, last) then
    local page
    repeat
      page = redis.call('XRANGE', stream, '(' .. told, last, 'COUNT', MESSAGES)
      for _, entry in ipairs(page) do
        messages[#messages + 1] = entry[1]
        messages[#messages + 1] = field(entry[2], 'job_id')
        messages[#messages + 1] = field(entry[2], 'enqueue_id')
        told = entry[1]
      end
    until #page < MESSAGES or #messages >= 3 * most
    if #page < MESSAGES then
      told = last
    end
  end
  if told ~= known then
    local from = known
    repeat
      from = add_pending(pending, stream, '(' .. from, told)
    until not from
  end
  if last then
    upTo = add_pending(pending, stream, '(' .. behind, '+') or ''
  end
  answers[#answers + 1] = { last or '', told, messages, pending, upTo }
end
return answers
