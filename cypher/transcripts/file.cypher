// Takes the lock of a file's progress and writes how far the turns of this transaction bring it, with the sessions that
// the file holds. No row: another import has gone on from there meanwhile, so these turns are its to write.
// Locks: TranscriptFile (by `rev`), TranscriptSession; every other statement of the import comes after.
// params: $file $sessions $token
MERGE (f:TranscriptFile {key: $file.key})
SET f.rev = $token
WITH f
WHERE coalesce(f.offset, -1) = $file.expected
SET f += $file.properties
FOREACH (s IN $sessions.all |
  MERGE (n:TranscriptSession {key: s.key})
  SET n += s.properties, n.startedAt = datetime(s.startedAt), n.endedAt = datetime(s.endedAt)
  MERGE (f)-[:HOLDS]->(n)
  FOREACH (key IN s.parents |
    MERGE (p:TranscriptSession {key: key})
    MERGE (n)-[:AGENT_OF]->(p)))
RETURN f.key AS key
