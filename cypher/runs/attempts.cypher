// A page of the attempts of a run or of a world, by their numbers in it: one look-up each, however many there
// are.
// params: $seqKeys
UNWIND $seqKeys AS seqKey
// when of-run
MATCH (a:Attempt {runSeqKey: seqKey})
// when of-world
MATCH (a:Attempt {worldSeqKey: seqKey})
// end
RETURN properties(a) AS attempt
