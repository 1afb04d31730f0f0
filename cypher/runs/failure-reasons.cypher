// Why some attempts failed: of runs that failed, the last ones.
// params: $keys
UNWIND $keys AS key
MATCH (a:Attempt {key: key})
RETURN a.attemptId AS attemptId, a.failureReason AS failureReason
