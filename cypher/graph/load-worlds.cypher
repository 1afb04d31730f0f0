// Reads the properties of all worlds, and with them those of the turns around: Grafeo keeps them in chunks.
// params:
MATCH (w:World)
RETURN count(keys(w)) AS loaded
