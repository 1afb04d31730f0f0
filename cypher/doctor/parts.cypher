// What turns say, each part with the criteria that it is of.
// params: $keys
UNWIND $keys AS key
MATCH (t:Turn {key: key})
// include doctor/_parts
