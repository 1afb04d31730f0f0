// How often patterns are followed, and with how many calls, counted anew.
// params: $keys
UNWIND $keys AS key
MATCH (t:TranscriptTurn {patternKey: key})
RETURN key, count(t) AS turns, sum(t.length) AS calls
