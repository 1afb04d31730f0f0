// include turns/_named-world
// include criteria/_promised
