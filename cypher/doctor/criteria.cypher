// The criteria of a task, and whether anything speaks of each.
// params: $taskKey
MATCH (:Task {key: $taskKey})-[:HAS_CRITERION]->(c:Criterion)
RETURN c.key AS key, properties(c) AS properties,
       EXISTS { MATCH (c)<-[:OF]-(:Verification) } OR EXISTS { MATCH (c)<-[:TO_MEET]-(:Promise) }
         OR EXISTS { MATCH (c)<-[:ABOUT]-(:Issue) } OR EXISTS { MATCH (c)<-[:LISTS|RETIRES]-(:Specification) } AS isNamed
