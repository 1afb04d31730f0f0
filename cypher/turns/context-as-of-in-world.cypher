// The continuation context of an earlier turn, of a world that the caller names.
// include turns/_named-world
// include turns/_context-as-of
