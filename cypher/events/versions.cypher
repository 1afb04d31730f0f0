// The versions of worlds, turn runs or files of transcripts, by their keys, and the database's clock.
// params: $keys
UNWIND $keys AS key
// when session
MATCH (n:World {key: key})
// when run
MATCH (n:TurnRun {key: key})
// when import
MATCH (n:TranscriptFile {key: key})
// end
RETURN n.key AS key, coalesce(n.changedAt, 0) AS version, timestamp() AS now
