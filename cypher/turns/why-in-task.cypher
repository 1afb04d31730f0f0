// The same for the newest world of a task.
// include turns/_newest-world
// include turns/_why
