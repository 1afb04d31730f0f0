// include analysis/_worlds
AND w.turnsSinceApproval >= 3
