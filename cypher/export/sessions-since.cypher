// The same, those alone of files that somebody was active in since an instant: a file's progress is of all its sessions.
// params: $after $below $since $limit
MATCH (s:TranscriptSession)
WHERE s.key > $after AND s.key < $below AND s.isTranscribed = true
// include export/_active-session
RETURN s.key AS key
ORDER BY key
LIMIT $limit
