// The claim of a turn `x` about a criterion `c` in a verification `v`.
[x.number, v.position, c.key, v.criterionId, v.status, v.source, v.form, v.substantiated, v.evidence, v.observedOn, v.addedAt]
