// The verifications that were added to a turn after its end, the number of all its verifications, and the keys of
// its judges. Returns no row if the turn does not exist.
// params: $turnKey
MATCH (t:Turn {key: $turnKey})
MATCH (t)<-[:HAS_TURN]-(w:World)
MATCH (w)<-[:HAS_WORLD]-(task:Task)
RETURN t.verificationCount AS verificationCount, coalesce(task.restoring, false) AS taskIsRestoring,
       [(t)-[:RECORDED]->(v:Verification) WHERE v.addedAt IS NOT NULL | properties(v)] AS additions,
       [(t)<-[:JUDGED]-(a:Agent) | a.key] AS judges
