// Selects the sessions that continued after all of their criteria were verified. `criteria` is the number of these
// criteria. `provenIn` is the turn that verified the last one.
// include analysis/_worlds
AND w.lastGainTurn IS NOT NULL
WITH f, task, w, size(coalesce(w.specifiedAfter, [])) AS version
CALL (w, version) {
  MATCH (w)-[r:PROGRESS]->(c:Criterion)
  WHERE version = 0 AND c.mergedInto IS NULL AND r.judged
  RETURN count(c) AS judged, count(CASE WHEN r.state = 'verified' THEN 1 END) AS judgedVerified,
         max(CASE WHEN r.state = 'verified' THEN r.verifiedInTurn END) AS judgedProvenIn
}
CALL (task, version) {
  MATCH (task)-[:SPECIFIED_BY]->(s:Specification)-[l:LISTS]->(:Criterion)
  WHERE s.version = version AND l.kind <> 'manual'
  RETURN count(l) AS declared
}
CALL (task, w, version) {
  MATCH (task)-[:SPECIFIED_BY]->(s:Specification)-[l:LISTS]->(c:Criterion)
  WHERE s.version = version AND l.kind <> 'manual'
  MATCH (w)-[r:PROGRESS {state: 'verified'}]->(c)
  RETURN count(c) AS declaredVerified,
         max(r.verifiedInTurn) AS declaredProvenIn
}
WITH f, task, w, CASE WHEN version = 0 THEN judged ELSE declared END AS criteria,
     CASE WHEN version = 0 THEN judgedVerified ELSE declaredVerified END AS verified,
     CASE WHEN version = 0 THEN judgedProvenIn ELSE declaredProvenIn END AS provenIn
WHERE verified = criteria AND provenIn < w.currentTurn
