// The same, of all attempts of a world.
// params: $seqKeys
UNWIND $seqKeys AS seqKey
MATCH (a:Attempt {worldSeqKey: seqKey})
RETURN properties(a) AS attempt
