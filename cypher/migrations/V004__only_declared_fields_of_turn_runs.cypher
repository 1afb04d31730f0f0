// Turn runs that were started before kept `turnCount` of the request beside `requestedTurnCount`: no field of a turn run.
MATCH (r:TurnRun) WHERE r.turnCount IS NOT NULL REMOVE r.turnCount;
