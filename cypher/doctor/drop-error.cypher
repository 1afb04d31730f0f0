// Replaces the error text of a failed call, and the name of its failure. Locks: the call.
// params: $key $sequence $error $failure
MATCH (:TranscriptTurn {key: $key})-[:HAS_FAILED_CALL]->(s:FailedCall {sequence: $sequence})
SET s.error = $error, s.failure = $failure
RETURN s.id AS id
