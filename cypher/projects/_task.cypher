// A task with its project and feature, created if they are missing. A relationship is merged from its child:
// Grafeo walks it from the left, and a hub has many. A hub (Project, Feature) is locked only if one of its
// children is new.
// params: $projectKey $project $featureKey $featureId $taskKey $taskId
MERGE (p:Project {key: $projectKey})
ON CREATE SET p.name = $project
MERGE (f:Feature {key: $featureKey})
ON CREATE SET f.project = $project, f.id = $featureId
MERGE (f)<-[:HAS_FEATURE]-(p)
MERGE (task:Task {key: $taskKey})
ON CREATE SET task.project = $project, task.id = $taskId, task.criteriaRev = 0, task.worldCount = 0
MERGE (task)<-[:HAS_TASK]-(f)
