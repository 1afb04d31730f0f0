// Reads the properties of all worlds, or of all transcript sessions, and with them those of their neighboring
// turns: Grafeo stores properties in chunks.
// params:
// when worlds
MATCH (n:World)
// when sessions
MATCH (n:TranscriptSession)
// end
RETURN count(keys(n)) AS loaded
