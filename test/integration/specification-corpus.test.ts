import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { projectPath } from '../../src/core/project-paths.ts'
import { isCounted } from '../../src/rules/criterion-states.ts'
import { describeCorpus } from '../support/corpus.ts'
import { importCorpus } from '../support/imported-corpus.ts'
import type { clientOf } from '../support/records.ts'

describeCorpus('the specifications of real sessions', () => {
  test('every task declares its criteria, these include all criteria that counted before, and stale proofs are as computed', {
    timeout: 600_000,
  }, async () => {
    let [tasks, sessions, neverJudged, stale] = [0, 0, 0, 0]
    for (const { declared, undeclared } of (await importCorpus()).repositories) {
      const [{ client, report }, { client: without }] = [declared, undeclared]
      expect(undeclared.report).toMatchObject({ specifications: 0 })
      expect(report).toMatchObject({ specifications: report.tasks, turnsFailed: 0 })
      tasks += report.specifications
      for (const { worldSlug, featureId, taskId } of (await client.listWorlds({ limit: 500 })).items) {
        sessions++
        const now = await client.listCriteria({ worldSlug })
        const before = await without.listCriteria({ worldSlug })
        const { total, source } = await client.getSpecification({ featureId, taskId })
        expect(total, `of ${source.path}`).toBe(countCriteria(readFileSync(String(source.path), 'utf8')))
        expect([now.total, now.verified], worldSlug).toEqual([total, before.verified])
        // Criteria that were counted but never judged came from promises, so the file may lack them.
        expect(
          now.criteria.filter(({ declared, lastTurn }) => declared === false && lastTurn !== null),
        ).toEqual([])
        const open = now.criteria.filter(({ judged }) => judged === false)
        neverJudged += open.length
        if (open.length > 0) expect(now.remaining, worldSlug).not.toEqual([])
        stale += await compareStale(client, worldSlug)
      }
      await compareStaleProofs(client, true)
      await compareStaleProofs(without, false)
    }
    expect(tasks).toBeGreaterThanOrEqual(84)
    expect(sessions).toBeGreaterThan(80)
    expect(neverJudged).toBeGreaterThan(10)
    expect(stale).toBeGreaterThan(5)
  })
})

/** Counts the unindented list items from the first heading of criteria to the next heading of the same or a higher level. */
function countCriteria(source: string): number {
  const lines = source.replace(/^(`{3,}|~{3,}).*\n[\s\S]*?^\1.*$/gm, '').split('\n')
  const levelOf = (line: string) => /^(#{1,6}) /.exec(line)?.[1]?.length ?? Number.POSITIVE_INFINITY
  const start = lines.findIndex((line) => /^#{1,6} .*acceptance criteria/i.test(line))
  const below = lines.slice(start + 1)
  const end = below.findIndex((line) => levelOf(line) <= levelOf(lines[start] ?? ''))
  return below.slice(0, end < 0 ? undefined : end).filter((line) => /^(?:[-*+]|\d+[.)]) \s*\S/.test(line))
    .length
}

/** Computes stale proofs from the records: a turn after the last verification names a file of the newest promise before it. */
async function compareStale(client: ReturnType<typeof clientOf>, worldSlug: string): Promise<number> {
  let found = 0
  const { items: turns } = await client.listTurns({ worldSlug })
  const promises = new Map<number, Awaited<ReturnType<typeof client.recoverPromises>>['items']>()
  for (const { turnNumber: turn } of turns)
    promises.set(turn, (await client.recoverPromises({ worldSlug, turn })).items)
  for (const { turnNumber } of turns) {
    const { criteria } = await client.listCriteria({ worldSlug, turn: turnNumber })
    const seen = turns.filter((turn) => turn.turnNumber <= turnNumber)
    for (const { key, state, stale, history = [], aliases } of criteria) {
      const verified = history.findLast(({ status, source }) => status === 'verified' && source !== 'player')
      const promised = new Map<string, Set<string>>()
      for (const turn of seen)
        for (const item of promises.get(turn.turnNumber)?.filter((each) => each.key === key) ?? [])
          promised.set(key, new Set(pathsOf([item.testFile ?? '', ...item.implementationFiles])))
      const files = promised.get(key) ?? new Set()
      const touching = seen.find(
        (turn) =>
          turn.turnNumber > (verified?.turn ?? Number.POSITIVE_INFINITY) &&
          pathsOf(turn.filesModified).some((file) => files.has(file) && !isDenied(turn, file)),
      )
      const expected = state === 'verified' ? (touching?.turnNumber ?? null) : null
      if (expected !== null) found++
      expect(stale?.turn ?? null, `${worldSlug} turn ${turnNumber} ${aliases[0]?.label}`).toBe(expected)
    }
  }
  return found
}

/** True if an issue says that git shows no change of a file. The corpus words it in four ways. */
const isDenied = ({ issues }: { issues: readonly { description: string }[] }, file: string): boolean =>
  issues.some(
    ({ description }) =>
      /git status.* shows no changes? for|no changes in git status|no actual git changes/i.test(
        description,
      ) && description.includes(file),
  )

/** Checks that the analysis lists exactly the stale criteria of all sessions; declared ones have the same label. */
async function compareStaleProofs(client: ReturnType<typeof clientOf>, isDeclared: boolean): Promise<void> {
  const row = (world: unknown, label: unknown, text: unknown, stale: unknown) =>
    JSON.stringify([world, stale, ...(isDeclared ? [label, text] : [])])
  const expected: string[] = []
  for (const { worldSlug } of (await client.listWorlds({ limit: 500 })).items) {
    const { criteria } = await client.listCriteria({ worldSlug, policy: 'fresh' })
    for (const { criterionId, text, stale } of criteria.filter(isCounted))
      if (stale !== undefined) expected.push(row(worldSlug, criterionId, text, stale))
  }
  const { rows, truncated } = await client.runAnalysis({ name: 'stale-proofs', limit: 1_000 })
  expect(truncated).toBe(false)
  const found = rows.map(([, , world, label, text, , turn, files]) =>
    row(world, label, text, { turn, files }),
  )
  expect(found.sort()).toEqual(expected.sort())
}

const pathsOf = (files: readonly string[]): string[] => files.flatMap((file) => projectPath(file) ?? [])
