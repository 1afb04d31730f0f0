// The newest turn at or below a turn that has promises: for whoever asks as of an earlier turn.
// params: $worldKey $turnNumber
MATCH (w:World {key: $worldKey})-[:HAS_TURN]->(t:Turn)
WHERE t.number <= $turnNumber AND t.promiseCount > 0
RETURN max(t.number) AS turn
