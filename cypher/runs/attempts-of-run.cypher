// A page of a run's attempts, by their numbers in it: each is one look-up, however many there are.
// params: $seqKeys
UNWIND $seqKeys AS seqKey
MATCH (a:Attempt {runSeqKey: seqKey})
RETURN properties(a) AS attempt
