// What was tried in a turn of a world, and why it was not approved.
// include turns/_named-world
// include turns/_why
