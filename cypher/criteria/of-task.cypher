// The criteria of a task: whether each is named anywhere, and whether its world is gone if it belongs to a
// single world.
// params: $taskKey
MATCH (task:Task {key: $taskKey})
WITH task, [(task)-[:HAS_WORLD]->(w:World) WHERE w.forgottenAt IS NULL | w.key] AS worldKeys
MATCH (task)-[:HAS_CRITERION]->(c:Criterion)
RETURN c.key AS key, properties(c) AS properties, c.worldKey IS NOT NULL AND NOT c.worldKey IN worldKeys AS isWorldGone,
       EXISTS { MATCH (c)<-[:OF]-(:Verification) } OR EXISTS { MATCH (c)<-[:TO_MEET]-(:Promise) }
         OR EXISTS { MATCH (c)<-[:ABOUT]-(:Issue) } OR EXISTS { MATCH (c)<-[:LISTS|RETIRES]-(:Specification) } AS isNamed
