// Which of some attempts have ended: a coordinator asks for all that it waits for at once.
// params: $keys
UNWIND $keys AS key
MATCH (a:Attempt {key: key})
RETURN a.attemptId AS attemptId, a.status AS status
