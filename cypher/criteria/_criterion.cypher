[c.key, c.texts, c.textSources, c.labels, c.labelSources, c.mergedInto, c.worldKey]
