// Which record the newest turn with promises is: a context compares it, so that one statement reads promises of an older turn
// and where the criteria stand, of one moment.
MATCH (w:World) WHERE w.promisedTurn IS NOT NULL MATCH (w)-[:HAS_TURN]->(t:Turn) WHERE t.number = w.promisedTurn SET w.promisedDigest = t.digest;
