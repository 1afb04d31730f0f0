// The criteria of a task, and whether anything still speaks of each.
// params: $taskKey
MATCH (:Task {key: $taskKey})-[:HAS_CRITERION]->(c:Criterion)
RETURN c.key AS key, c.mergedInto AS mergedInto, c.worldKey AS worldKey, c.texts AS texts, c.textSources AS textSources,
       c.labels AS labels, c.labelSources AS labelSources,
       EXISTS { MATCH (c)<-[:OF]-(:Verification) } OR EXISTS { MATCH (c)<-[:TO_MEET]-(:Promise) }
         OR EXISTS { MATCH (c)<-[:ABOUT]-(:Issue) } AS isNamed
