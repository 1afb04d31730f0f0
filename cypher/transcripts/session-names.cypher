// Candidates for names that are similar to an unknown session: at most $limit, in no order.
// params: $after $below $limit
MATCH (s:TranscriptSession)
WHERE s.key > $after AND s.key < $below AND s.id IS NOT NULL
RETURN s.id AS name
LIMIT $limit
