// include turns/_newest-world
// include criteria/_promised
