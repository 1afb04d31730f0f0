// Turns, and the other nodes of a project, have its name: an analyst writes MATCH (t:Turn {project: 'shop'}). It is the first part of
// the key; parts of a turn have no key and get it from their turn. For a few nodes at a time, which may be repeated.
UNWIND $featureKeys AS key
MATCH (x:Feature {key: key})
SET x.project = replace(replace(split(x.key, '/')[0], '%2F', '/'), '%25', '%')
RETURN count(*) AS nodes;
UNWIND $taskKeys AS key
MATCH (x:Task {key: key})
SET x.project = replace(replace(split(x.key, '/')[0], '%2F', '/'), '%25', '%')
RETURN count(*) AS nodes;
UNWIND $specificationKeys AS key
MATCH (x:Specification {key: key})
SET x.project = replace(replace(split(x.key, '/')[0], '%2F', '/'), '%25', '%')
RETURN count(*) AS nodes;
UNWIND $criterionKeys AS key
MATCH (x:Criterion {key: key})
SET x.project = replace(replace(split(x.key, '/')[0], '%2F', '/'), '%25', '%')
RETURN count(*) AS nodes;
UNWIND $fileKeys AS key
MATCH (x:File {key: key})
SET x.project = replace(replace(split(x.key, '/')[0], '%2F', '/'), '%25', '%')
RETURN count(*) AS nodes;
UNWIND $turnKeys AS key
MATCH (x:Turn {key: key})
SET x.project = replace(replace(split(x.key, '/')[0], '%2F', '/'), '%25', '%')
RETURN count(*) AS nodes;
UNWIND $turnKeys AS key
MATCH (t:Turn {key: key})-[:RECORDED|PROMISED|RAISED|PASSED_THROUGH]->(x)
SET x.project = replace(replace(split(key, '/')[0], '%2F', '/'), '%25', '%')
RETURN count(*) AS parts;
UNWIND $supersededTurnKeys AS key
MATCH (x:SupersededTurn {key: key})
SET x.project = replace(replace(split(x.key, '/')[0], '%2F', '/'), '%25', '%')
RETURN count(*) AS nodes;
UNWIND $supersededTurnKeys AS key
MATCH (t:SupersededTurn {key: key})-[:RECORDED|PROMISED|RAISED|PASSED_THROUGH]->(x)
SET x.project = replace(replace(split(key, '/')[0], '%2F', '/'), '%25', '%')
RETURN count(*) AS parts;
