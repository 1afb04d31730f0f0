// Locks turns (by `rev`, in the order of the keys), including those that do not exist yet, and returns their
// content. The content decides between two different copies: the one with more calls counts. Two concurrent
// imports of a fork must not both find no turn.
// params: $keys $token
UNWIND $keys AS key
MERGE (t:TranscriptTurn {key: key})
SET t.rev = $token
RETURN t.key AS key, t.length AS length, t.sessionId AS sessionId, t.fileKey AS fileKey, t.pattern AS pattern,
       t.status AS status
