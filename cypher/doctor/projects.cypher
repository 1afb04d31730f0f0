// params:
MATCH (p:Project)
RETURN p.key AS key
