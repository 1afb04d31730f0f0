import { describe, expect, test } from 'vitest'
import { isCounted } from '../../src/rules/criterion-states.ts'
import { Random } from '../faults/harness/random.ts'
import { aTurn, clientOf, FEATURE, PROJECT, TASK, type TurnToSend } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const RETRY = 'An unknown host is retried three times'
const SUITE = 'The whole suite passes on two cores'
const DOCS = 'The how-to reads well to a newcomer'
const LOG = 'No request is logged twice by any handler'

type Entry = NonNullable<TurnToSend['verifications']>[number]
const verdict = (
  criterionText: string,
  status: 'verified' | 'rejected',
  more: Partial<Entry> = {},
): Entry => ({
  criterionId: `AC-${criterionText.length}`,
  criterionText,
  status,
  ...more,
})

const observationOf = (status: 'verified' | 'rejected') => ({
  command: ['npm', 'test'],
  exitCode: status === 'verified' ? 0 : 1,
  startedAt: '2026-03-01T10:00:00Z',
})

/** The analyses of the proofs of declared criteria (contract: specification.md). */
export function proofsContract(store: StoreUnderTest): void {
  describe('the proofs of declared criteria', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    type Narrowed = { featureId?: string; taskId?: string; worldSlug?: string }
    const rows = async (name: string, narrowed: Narrowed = {}) => {
      const answer = await client().runAnalysis({ name, limit: 1_000, ...narrowed })
      expect(answer.truncated).toBe(false)
      return answer.rows
    }
    const declare = (taskId: string, ...criteria: { text: string; kind?: 'manual' }[]) =>
      client().declareCriteria({ featureId: FEATURE, taskId, criteria })

    test('unproven lists, by session, declared criteria that no session verified, also for a task without sessions', async () => {
      await declare(TASK, { text: LOG }, { text: SUITE })
      await declare(TASK, { text: RETRY }, { text: SUITE }, { text: DOCS, kind: 'manual' })
      await client().captureTurnState(
        aTurn(1, {
          worldSlug: 'first',
          verifications: [verdict(RETRY, 'verified'), verdict(SUITE, 'rejected')],
          promises: [{ criterionId: 'AC-003', criterionText: DOCS, status: 'complete' }],
        }),
      )
      await client().captureTurnState(
        aTurn(1, {
          worldSlug: 'second',
          verifications: [RETRY, SUITE, DOCS].map((text) => verdict(text, 'verified')),
        }),
      )
      await declare('TASK-2', { text: LOG })
      await client().captureTurnState(
        aTurn(1, { taskId: 'TASK-3', verifications: [verdict(LOG, 'rejected')] }),
      )
      const first = [
        [FEATURE, TASK, 'first', 'AC-002', SUITE, 'code', 'rejected', true],
        [FEATURE, TASK, 'first', 'AC-003', DOCS, 'manual', 'pending', false],
      ]
      const unbegun = [[FEATURE, 'TASK-2', null, 'AC-001', LOG, 'code', 'pending', false]]
      expect(await rows('unproven')).toEqual([...first, ...unbegun])
      expect(await rows('unproven', { worldSlug: 'first' })).toEqual(first)
      expect(await rows('unproven', { worldSlug: 'second' })).toEqual([])
      expect(await rows('unproven', { featureId: FEATURE, taskId: 'TASK-2' })).toEqual(unbegun)
      await clientOf(handles.graph, 'other').declareCriteria({
        featureId: FEATURE,
        taskId: TASK,
        criteria: [{ text: LOG }],
      })
      expect(await rows('unproven')).toEqual([...first, ...unbegun])
      await client().deleteWorld({ worldSlug: 'first' })
      expect(await rows('unproven')).toEqual(unbegun)
    })

    test('stale-proofs lists a proof with the first turn that touched its files, until it is proven again', async () => {
      await declare(TASK, { text: RETRY }, { text: SUITE })
      const turns: Partial<TurnToSend>[] = [
        {
          promises: [
            { criterionId: 'AC-001', criterionText: RETRY, status: 'complete', testFile: 'test/retry.ts' },
          ],
          verifications: [
            verdict(RETRY, 'verified'),
            verdict(SUITE, 'verified', { files: ['b.ts', './a.ts'] }),
            verdict(LOG, 'verified', { files: ['a.ts'] }),
          ],
        },
        { filesModified: ['c.ts'] },
        { filesModified: ['a.ts', 'src/../b.ts', 'c.ts'] },
        { filesModified: ['b.ts', 'test/retry.ts'], verifications: [verdict(RETRY, 'verified')] },
      ]
      for (const [i, more] of turns.entries()) await client().captureTurnState(aTurn(i + 1, more))
      // A criterion that is not declared does not count.
      expect(await rows('stale-proofs')).toEqual([
        [FEATURE, TASK, TASK, 'AC-002', SUITE, 1, 3, ['a.ts', 'b.ts'], null],
      ])
      await client().captureTurnState(aTurn(5, { verifications: [verdict(SUITE, 'verified')] }))
      expect(await rows('stale-proofs')).toEqual([])
      await declare(TASK, { text: RETRY }, { text: `${SUITE} of the machine` })
      expect(await rows('stale-proofs')).toEqual([
        [FEATURE, TASK, TASK, 'AC-002', `${SUITE} of the machine`, 5, null, [], 2],
      ])
    })

    test('an observed proof is stale by tree, not by the files that a turn claims', async () => {
      const verifications = [verdict(RETRY, 'verified'), verdict(SUITE, 'verified')]
      const promises = verifications.map(({ criterionId, criterionText }) => ({
        ...{ criterionId, criterionText, status: 'complete' as const },
        implementationFiles: ['src/a.ts'],
      }))
      const observation = observationOf('verified')
      await client().captureTurnState(aTurn(1, { promises, verifications }))
      await client().addVerifications({
        ...{ featureId: FEATURE, taskId: TASK },
        verifications: [verdict(SUITE, 'verified', { source: 'command', observation })],
      })
      await client().captureTurnState(aTurn(2, { verifications: [], filesModified: ['src/a.ts'] }))
      const { criteria } = await client().listCriteria({ worldSlug: TASK, policy: 'fresh' })
      expect(criteria.map(({ text, state, basis, stale }) => [text, state, basis, stale?.files])).toEqual([
        [SUITE, 'verified', 'observed', undefined],
        [RETRY, 'pending', 'bare', ['src/a.ts']],
      ])
      expect((await rows('stale-proofs')).map(([, , , , text]) => text)).toEqual([RETRY])
    })
  })
}

/** Compares an analysis with `criteria`, on one engine: `proofsContract` runs its statements. */
export function proofsRulesContract(store: StoreUnderTest): void {
  describe('the proofs of random sessions', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)

    test('stale-proofs agrees with `criteria` in random sessions, however a file is spelled', async () => {
      const random = new Random(28)
      const taskIds = Array.from({ length: 25 }, (_, i) => `TASK-${i}`)
      const made = taskIds.map((taskId) => ({
        taskId,
        declared: madeUpDeclarations(random),
        turns: ['a', 'b'].flatMap((name) =>
          madeUpSession(random, { taskId, worldSlug: `${taskId}-${name}` }),
        ),
      }))
      await Promise.all(
        Array.from({ length: LANES }, async (_, lane) => {
          for (const { taskId, declared, turns } of made.filter((_made, i) => i % LANES === lane)) {
            for (const criteria of declared.before)
              await client().declareCriteria({ featureId: FEATURE, taskId, criteria })
            for (const turn of turns) await client().captureTurnState(turn)
            for (const criteria of declared.after)
              await client().declareCriteria({ featureId: FEATURE, taskId, criteria })
          }
        }),
      )
      const expected: unknown[] = []
      for (const { worldSlug, taskId } of (await client().listWorlds({ project: PROJECT, limit: 500 }))
        .items) {
        const { criteria } = await client().listCriteria({ worldSlug, policy: 'fresh' })
        for (const { text, stale, rewordedInVersion } of criteria.filter(isCounted)) {
          if (stale !== undefined)
            expected.push([taskId, worldSlug, text, stale.files.length > 0 ? stale : rewordedInVersion])
        }
      }
      const stale = await client().runAnalysis({ name: 'stale-proofs', limit: 1_000 })
      expect(stale.truncated).toBe(false)
      const found = stale.rows.map(([, task, world, , text, , turn, files, rewordedIn]) => [
        task,
        world,
        text,
        turn === null ? rewordedIn : { turn, files },
      ])
      expect(expected.length).toBeGreaterThan(15)
      expect(
        expected.some((row) => typeof (row as unknown[])[3] === 'number'),
        'some are worded anew',
      ).toBe(true)
      expect(inOrder(found)).toEqual(inOrder(expected))
    })
  })
}

/** Number of sessions that are captured in parallel. */
const LANES = 6

const inOrder = (some: readonly unknown[]): string[] => some.map((one) => JSON.stringify(one)).sort()

const FILES = ['src/retry.ts', 'test/retry.test.ts', 'docs/a b.md', '.github/ci.yml']
/** Spellings of the path of a file, and similar paths of other files. */
const SPELLINGS: ((file: string) => string)[] = [
  (file) => file,
  (file) => ` ./${file}`,
  (file) => `././${file.replace('/', '//')}`,
  (file) => `/home/me/shop/.guardkit/worktrees/FEAT-1/${file}`,
  (file) => `.claude\\worktrees\\x\\${file.replaceAll('/', '\\')}`,
  (file) => `/w/.a/worktrees/b/.c/worktrees/d/./${file}`,
  (file) => `lib/../${file}`,
  (file) => `a/b/../../${file.replace('/', '/x/../')}`,
  (file) => `../${file}`,
  (file) => `lib/../../${file}`,
  (file) => `/${file}`,
  (file) => `C:\\${file}`,
  (file) => `${file}/`,
  (file) => `/w/.a.b/worktrees/c/${file}`,
  (file) => `w/worktrees/c/${file}`,
  (file) => `.guardkit/worktrees/${file}`,
  () => '.',
  () => '',
]

const TEXTS = [RETRY, SUITE, LOG]

type Choices = { chance: (share: number) => boolean; one: <T>(items: readonly T[]) => T }
const choicesOf = (random: Random): Choices => ({
  chance: (share) => random.fraction() < share,
  one: (items) => items[random.between(0, items.length - 1)] as (typeof items)[number],
})

/** The declarations of a task before and after its turns: none, some criteria of the turns, or these reworded. */
function madeUpDeclarations(random: Random) {
  const { chance } = choicesOf(random)
  const declared = (suffix: string) =>
    [...TEXTS.slice(chance(0.3) ? 1 : 0), DOCS].map((text) => ({ text: text + suffix }))
  return { before: chance(0.5) ? [declared('')] : [], after: chance(0.4) ? [declared(' at all times')] : [] }
}

function madeUpSession(random: Random, place: { taskId: string; worldSlug: string }): TurnToSend[] {
  const { chance, one } = choicesOf(random)
  const files = (most: number) =>
    Array.from({ length: random.between(0, most) }, () => one(SPELLINGS)(one(FILES)))
  return Array.from({ length: random.between(3, 6) }, (_, i) =>
    aTurn(i + 1, {
      ...place,
      filesModified: files(3),
      filesSource: chance(0.2) ? 'git' : null,
      issues: files(2).map((file) => ({
        severity: 'advisory' as const,
        description: `Player claimed file ${file.trim()}. Actual: Path is tracked in git but 'git status' shows no change for it`,
      })),
      promises: TEXTS.filter(() => chance(0.4)).flatMap((criterionText, at) => {
        const promise = () => ({
          criterionId: `AC-${at}`,
          criterionText,
          status: 'complete' as const,
          implementationFiles: files(3),
          testFile: chance(0.5) ? one(SPELLINGS)(one(FILES)) : null,
        })
        return chance(0.2) ? [promise(), promise()] : [promise()]
      }),
      verifications: TEXTS.filter(() => chance(0.5)).map((text) => {
        const status = chance(0.7) ? 'verified' : 'rejected'
        return verdict(text, status, {
          ...(chance(0.2) && { source: 'player' as const }),
          ...(chance(0.4) && { files: files(2) }),
          ...(chance(0.15) && { observation: observationOf(status) }),
        })
      }),
    }),
  )
}
