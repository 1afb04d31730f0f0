// Promises of the turn at `earlierKey`: the Player's last meaning of each label.
CALL (earlierKey) {
  MATCH (x:Turn {key: earlierKey})
  MATCH (x)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion)
  RETURN collect([p.position, p.criterionId, c.key]) AS earlierPromises
}
