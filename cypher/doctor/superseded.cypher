// The records that turns have replaced.
// params: $keys
UNWIND $keys AS key
MATCH (t:Turn {key: key})-[:SUPERSEDES*1..]->(o:SupersededTurn)
RETURN key, o.key AS ownKey, properties(o) AS properties, [(o)<-[:SUPERSEDES]-(n) | n.key] AS replacedBy,
       [(o)-[:SUPERSEDES]->(n) | n.key] AS superseded,
       size([(o)<-[:HAS_TURN]-(w) | 1]) + size([(o)-[:NEXT]-(n) | 1]) AS places
