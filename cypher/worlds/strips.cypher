// The decisions of the newest turns of worlds, by the keys of these turns, and the current owners of each
// world.
// params: $worlds
UNWIND $worlds AS asked
WITH asked, asked.key AS key
MATCH (w:World {key: key})
CALL (asked) {
  UNWIND asked.turnKeys AS turnKey
  MATCH (t:Turn {key: turnKey})
  RETURN collect([t.number, t.coachDecision]) AS decisions
}
RETURN w.slug AS worldSlug, w.leaseOwners AS leaseOwners, decisions
