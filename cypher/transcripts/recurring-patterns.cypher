// Patterns of long turns that recur (seed 002, "Desire Path Surfacing"): three times or more, and on average
// longer than the threshold. Uses the sums that a pattern stores and does not read its turns.
// params: $project $minTurns $threshold
MATCH (p:TurnPattern {project: $project})
WHERE p.turns >= $minTurns AND p.calls > $threshold * p.turns
RETURN p.key AS key, p.pattern AS pattern, p.turns AS count, p.calls AS calls
