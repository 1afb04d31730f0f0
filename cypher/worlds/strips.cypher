// How the newest turns of worlds ended, by the keys of these turns, and who holds each world now.
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
