// What the turn at `earlierKey` promised, and which labels its judges named: the Player's last word on what a label means.
CALL (earlierKey) {
  MATCH (x:Turn {key: earlierKey})
  MATCH (x)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion)
  RETURN collect([p.position, p.criterionId, c.key]) AS earlierPromises
}
CALL (earlierKey) {
  MATCH (x:Turn {key: earlierKey})
  MATCH (x)-[:RECORDED]->(v:Verification) WHERE v.source <> 'player'
  RETURN collect(v.criterionId) AS earlierVerifications
}
