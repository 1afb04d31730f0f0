// The records that were replaced or withdrawn.
// when of-turns
// params: $keys
UNWIND $keys AS key
MATCH (t:Turn {key: key})-[:SUPERSEDES*1..]->(o:SupersededTurn)
// when of-world
// The records of withdrawn turns that were not captured again.
// params: $worldKey
MATCH (t:World {key: $worldKey})-[:SUPERSEDES*1..]->(o:SupersededTurn)
WITH o, $worldKey AS key
// end
RETURN key, o.key AS ownKey, properties(o) AS properties, [(o)<-[:SUPERSEDES]-(n) | n.key] AS replacedBy,
       [(o)-[:SUPERSEDES]->(n) | n.key] AS superseded,
       [(o)<-[:JUDGED]-(a:Agent) | a.key] AS judged, [(o)<-[:PLAYED]-(a:Agent) | a.key] AS played,
       size([(o)<-[:HAS_TURN]-(w) | 1]) + size([(o)-[:NEXT]-(n) | 1]) AS places
