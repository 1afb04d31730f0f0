// The continuation context of an earlier turn, of the newest world of a task.
// include turns/_newest-world
// include turns/_context-as-of
