// Verdicts of a turn that count, by the key of their criterion: without claims of the Player.
MATCH (t)-[:RECORDED]->(v:Verification)-[:OF]->(c:Criterion)
  WHERE v.source <> 'player'
  WITH coalesce(c.mergedInto, c.key) AS key, collect([v.status, v.form, v.addedAt, v.criterionId, v.position]) AS entries
  WITH key, entries, any(x IN entries WHERE x[1] = 'entry' AND x[2] IS NULL) AS isFull
  // A full entry of the record takes precedence over the status map for the same criterion.
  UNWIND [x IN entries WHERE x[1] = 'entry' OR NOT isFull] AS x
  WITH key, x[0] AS status, x[3] AS label, x[4] AS position
