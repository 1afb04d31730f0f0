// params: $keys
UNWIND $keys AS key
MATCH (t:Turn {key: key})
// include forget/_turn
