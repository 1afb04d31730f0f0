// params: $project
MATCH (d:Desire)
WHERE d.project = $project
RETURN d.key AS key, properties(d) AS held,
       [(d)-[:SURFACED_FROM]->(p:TurnPattern) | [p.key, p.turns, p.calls]] AS patterns
