// Replaces the error text of a failed call, and the name of its failure. Locks: the step.
// params: $key $sequence $error $failure
MATCH (:TranscriptTurn {key: $key})-[:HAS_STEP]->(s:FailedStep {sequence: $sequence})
SET s.error = $error, s.failure = $failure
RETURN s.id AS id
