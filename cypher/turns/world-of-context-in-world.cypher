// The world that a context is asked of, where no turn below the coming one was found. No row: there is no such world.
// include turns/_named-world
// include turns/_turns-below
