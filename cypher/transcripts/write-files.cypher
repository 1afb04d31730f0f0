// Takes the lock of each file's progress and writes how far the turns of this transaction bring it, with the sessions
// that the file holds. A file without a row: another import has gone on from there meanwhile, so its turns are not
// this one's to write. A session that moved to another folder has several files; the one with the newest record describes it.
// Locks: TranscriptFile (by `rev`), TranscriptSession; every other statement comes after.
// params: $batch $token
UNWIND $batch.files AS x
MERGE (f:TranscriptFile {key: x.key})
SET f.rev = $token
WITH f, x
WHERE coalesce(f.offset, -1) = x.expected
SET f += x.properties
SET f.changedAt = CASE WHEN f.changedAt >= timestamp() THEN f.changedAt + 1 ELSE timestamp() END // as worlds/_changed
SET f.changedIn = f.changedAt / 60000
FOREACH (s IN x.sessions |
  MERGE (n:TranscriptSession {key: s.key})
  FOREACH (now IN s.newest | SET n += now.properties, n.startedAt = datetime(now.startedAt), n.endedAt = datetime(now.endedAt))
  MERGE (f)-[:HOLDS]->(n)
  FOREACH (key IN s.parents |
    MERGE (p:TranscriptSession {key: key})
    MERGE (n)-[:AGENT_OF]->(p)))
RETURN f.key AS key
