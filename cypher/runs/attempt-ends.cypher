// The status and the failure reason of some attempts: a coordinator asks once for all attempts that it waits
// for.
// params: $keys
UNWIND $keys AS key
MATCH (a:Attempt {key: key})
RETURN a.attemptId AS attemptId, a.status AS status, a.failureReason AS failureReason
