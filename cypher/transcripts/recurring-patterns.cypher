// Patterns of long turns that recur (seed 002, "Desire Path Surfacing"): three times or more, longer on average than the
// threshold. What a pattern says of its turns: none of them is looked at.
// params: $project $minTurns $threshold
MATCH (p:TurnPattern {project: $project})
WHERE p.turns >= $minTurns AND p.calls > $threshold * p.turns
RETURN p.key AS key, p.pattern AS pattern, p.turns AS count, p.calls AS calls
