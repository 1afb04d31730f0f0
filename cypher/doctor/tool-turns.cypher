// The turns that call a tool, summed up again.
// params: $toolKey $periodMs
MATCH (k:Tool {key: $toolKey})<-[c:CALLED]-(t:TranscriptTurn)
WITH toInteger(floor(toFloat(t.begunMs) / $periodMs)) AS period, t.length AS length, c.calls AS calls
RETURN period, length, count(calls) AS turns, sum(calls) AS sum
