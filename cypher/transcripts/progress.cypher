// The read positions of some files, with the state of the parser there.
// params: $keys
UNWIND $keys AS key
MATCH (f:TranscriptFile {key: key})
RETURN f.key AS key, f {.offset, .inode, .tail, .state, .isWhole, .rulesVersion} AS file
