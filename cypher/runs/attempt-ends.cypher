// Which of some attempts have ended, and why they failed: a coordinator asks for all that it waits for at once.
// params: $keys
UNWIND $keys AS key
MATCH (a:Attempt {key: key})
RETURN a.attemptId AS attemptId, a.status AS status, a.failureReason AS failureReason
