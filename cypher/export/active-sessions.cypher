// Which of some sessions are of a file that somebody was active in since an instant.
// params: $keys $since
UNWIND $keys AS key
MATCH (s:TranscriptSession {key: key})
WHERE s.key = key
// include export/_active-session
RETURN s.key AS key
