// Which turn is the newest below the coming one. No row: there is no such world.
// include turns/_named-world
// include turns/_previous
