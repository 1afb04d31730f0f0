// What the turn adds to the task's criteria. Only then is the Task locked and its `criteriaRev` compared:
// two worlds of one task may add at the same time, and the slower one resolves anew.
// A label's edge holds the newest turn in which it meant that criterion.
// params: $extends $criteriaRev $criteria $labels $token $turnNumber
FOREACH (_ IN CASE WHEN $extends THEN [1] ELSE [] END | SET task.rev = $token)
WITH *
WHERE NOT $extends OR task.criteriaRev = $criteriaRev
FOREACH (_ IN CASE WHEN $extends THEN [1] ELSE [] END | SET task.criteriaRev = $criteriaRev + 1)
FOREACH (c IN $criteria |
  MERGE (k:Criterion {key: c.key})
  MERGE (task)-[:HAS_CRITERION]->(k)
  SET k += c.properties)
FOREACH (l IN $labels |
  MERGE (c:Criterion {key: l.criterionKey})
  MERGE (w)-[r:LABELS {source: l.source, label: l.label}]->(c)
  SET r.turn = CASE WHEN r.turn > $turnNumber THEN r.turn ELSE $turnNumber END)
