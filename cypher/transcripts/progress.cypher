// How far some files were read, and what stood open there.
// params: $keys
UNWIND $keys AS key
MATCH (f:TranscriptFile {key: key})
RETURN f.key AS key, f {.offset, .inode, .tail, .state, .isWhole, .rulesVersion} AS file
