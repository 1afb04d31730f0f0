// How far a file was read, and what stood open there.
// params: $key
MATCH (f:TranscriptFile {key: $key})
RETURN f {.size, .offset, .inode, .tail, .state} AS file
