// The projects after one, by name. Few, so a scan of the label, once a project.
// params: $after
MATCH (p:Project)
WHERE p.name > $after
RETURN p.name AS name
