// The names near to that of a session that is not there are looked for among these: so many at most, in no order.
// params: $after $below $limit
MATCH (s:TranscriptSession)
WHERE s.key > $after AND s.key < $below AND s.id IS NOT NULL
RETURN s.id AS name
LIMIT $limit
