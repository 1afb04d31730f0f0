// True if the task has a newer session. A newer session began after this one and was active after it.
size([(w)<-[:HAS_WORLD]-(:Task)-[:HAS_WORLD]->(x:World)
      WHERE x.deletedAt IS NULL AND x.ordinal > w.ordinal AND x.lastActivityAt >= w.lastActivityAt | 1]) > 0
