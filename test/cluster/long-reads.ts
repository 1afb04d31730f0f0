// Reads for long on a simulated cluster: once, by a follower that has what the caller has seen, or by the leader.

import { CallerBookmarks } from '../../src/graph/caller-bookmarks.ts'
import { parseStatement } from '../../src/graph/statements.ts'
import { graphAt, neo4jFor, planStatements } from '../faults/harness/on-neo4j.ts'
import { holds, inScope, type Scenario } from '../faults/harness/scenario.ts'
import { BoltRouter } from './bolt-router.ts'

/** Longer than a follower is waited for by a read of a request. */
const LONG_MS = 1_500
const LAG_MS = 5_000
const MEMBERS = 3

const write = parseStatement('test/write', 'CREATE (n:LongReads) RETURN 1 AS done')
const countTo = parseStatement(
  'test/long-reads',
  '// params: $rows\nUNWIND range(1, $rows) AS a UNWIND range(1, 1000) AS b RETURN count(*) AS pairs',
)

/**
 * A follower that has begun an analysis is left to it, however long it takes: the leader would begin it anew. One that lags
 * does not begin in time, and the leader takes it.
 */
export const longReads: Scenario = (options) =>
  inScope(async (later) => {
    const neo4j = await neo4jFor(options, later)
    await planStatements(neo4j)
    const router = await BoltRouter.start({ leader: neo4j, members: MEMBERS })
    later(() => router.close())
    const graph = graphAt(router.url)
    later(() => graph.close())
    const bookmarks = async () => {
      await graph.write([{ statement: write, params: {} }])
      return graph.source.engine === 'neo4j' ? graph.source.bookmarks() : []
    }
    const readLong = async (rows: number) => {
      const before = router.served(countTo.name)
      const caller = new CallerBookmarks(await bookmarks(), { mayFollow: true })
      const limits = { deadline: performance.now() + 60_000, signal: new AbortController().signal }
      const began = performance.now()
      const [row] = await graph.readLong(countTo, { rows }, limits, caller)
      holds(row?.pairs === rows * 1_000, 'the answer is whole', row)
      const after = router.served(countTo.name)
      return {
        ms: performance.now() - began,
        atLeader: after.atLeader - before.atLeader,
        atFollowers: after.atFollowers - before.atFollowers,
      }
    }

    let rows = 1_000
    let long = await readLong(rows)
    while (long.ms < LONG_MS) {
      rows *= 2
      long = await readLong(rows)
    }
    holds(long.atLeader === 0 && long.atFollowers === 1, 'a follower reads, once', { rows, ...long })

    router.lagMs = LAG_MS
    const lagging = await readLong(1)
    holds(lagging.atLeader === 1, 'the leader reads where a follower does not begin in time', lagging)
    return { rows, ms: Math.round(long.ms), atFollowers: long.atFollowers, lagging: lagging.atFollowers }
  })
