// Locks turns (by `rev`, in the order of the keys), those that do not stand yet too, and shows what they hold: of copies
// that differ, the one with more calls counts, and two imports of a fork at once must not both find nothing there.
// params: $keys $token
UNWIND $keys AS key
MERGE (t:TranscriptTurn {key: key})
SET t.rev = $token
RETURN t.key AS key, t.length AS length, t.sessionId AS sessionId, t.fileKey AS fileKey, t.pattern AS pattern,
       t.begunMs AS begunMs, t.tools AS tools, t.status AS status
