// The parts of a task's address that exist in the graph.
// params: $projectKey $featureKey $taskKey
OPTIONAL MATCH (p:Project {key: $projectKey})
OPTIONAL MATCH (f:Feature {key: $featureKey})
OPTIONAL MATCH (t:Task {key: $taskKey})
RETURN p.key IS NOT NULL AS hasProject, f.key IS NOT NULL AS hasFeature, t.key IS NOT NULL AS hasTask
