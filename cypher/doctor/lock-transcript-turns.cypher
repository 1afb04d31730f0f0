// Locks turns of transcripts (by `rev`, in the order of the keys): an import that writes one anew waits.
// params: $keys $token
UNWIND $keys AS key
MATCH (t:TranscriptTurn {key: key})
SET t.rev = $token
RETURN t.key AS key
