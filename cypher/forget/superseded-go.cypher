// params: $keys
UNWIND $keys AS key
MATCH (t:SupersededTurn {key: key})
// include forget/_turn
