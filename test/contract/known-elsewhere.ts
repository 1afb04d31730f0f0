import { describe, expect, test } from 'vitest'
import { parseStatement } from '../../src/graph/statements.ts'
import { exportOf, restoreLines } from '../support/exported.ts'
import {
  aContext,
  aTurn,
  type ContextToLoad,
  clientOf,
  FEATURE,
  type TurnToSend,
} from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const OWN = 'own-session'
const at = (minute: number) => new Date(Date.UTC(2026, 0, 3, 0, minute)).toISOString()

/** A turn of another session, which is named after its task. */
const turnOfTask = (taskId: string, turnNumber: number, minute: number, more: Partial<TurnToSend> = {}) =>
  aTurn(turnNumber, { taskId, worldSlug: taskId, completedAt: at(minute), ...more })

const ownTurn = (more: Partial<TurnToSend> = {}): TurnToSend =>
  aTurn(1, { worldSlug: OWN, completedAt: at(0), ...more })

const issue = (description: string, more = {}) => ({ severity: 'blocking', description, ...more })

/** Text in every field that a Player must not see. */
const CANARY = 'canary-of-the-judge'
const secretsOfTheJudge: Partial<TurnToSend> = {
  coachFeedback: CANARY,
  whatToTryNext: CANARY,
  extra: { [CANARY]: CANARY },
  verifications: [{ criterionId: 'AC-1', criterionText: 'It answers', status: 'rejected', evidence: CANARY }],
  promises: [{ criterionId: 'AC-1', status: 'complete', evidence: CANARY }],
}

const touched = parseStatement(
  'test/touched',
  'MATCH (f:File) RETURN f.key AS key, f.path AS path, size([(f)<-[:TOUCHED]-(t) | 1]) AS turns ORDER BY f.key',
)

/** Knowledge of other sessions of a project (contract: specification.md, "Other sessions know something"). */
export function knownElsewhereContract(store: StoreUnderTest): void {
  describe('knowledge from other sessions', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const capture = async (...turns: TurnToSend[]) => {
      for (const turn of turns) await client().captureTurnState(turn)
    }
    const contextOf = (turn: number, more: Partial<ContextToLoad> = {}) =>
      client().loadTurnContinuationContext(aContext(turn, { worldSlug: OWN, elsewhere: 'known', ...more }))
    const known = async (turn = 2, more: Partial<ContextToLoad> = {}) =>
      (await contextOf(turn, more)).elsewhere?.known ?? []
    const forgetAll = async (worldSlug: string) => {
      while (!(await client().forget({ worldSlug, dryRun: false })).done);
    }
    const sources = async (turn = 2, more: Partial<ContextToLoad> = {}) =>
      (await known(turn, more)).map((item) => `${item.taskId} turn ${item.turn}`)

    describe('an open issue that another session has solved', () => {
      const raised = { issues: [issue('`sumPrices` in src/till.ts fails at line 3', { category: 'tests' })] }
      const own = ownTurn({
        issues: [issue('`sumPrices` in src/till.ts fails at line 14', { category: 'tests' })],
      })

      test.each(['player', 'coach'] as const)(
        'is told to the %s with the summary of the turn in which it went',
        async (role) => {
          await capture(
            turnOfTask('TASK-B', 1, 1, raised),
            turnOfTask('TASK-B', 2, 2, { playerSummary: 'Mocked\nthe clock' }),
            own,
          )
          const { context, elsewhere } = await contextOf(2, { role })
          expect(elsewhere).toEqual({
            earlierSession: null,
            known: [
              {
                featureId: FEATURE,
                taskId: 'TASK-B',
                worldSlug: 'TASK-B',
                turn: 2,
                issues: ['`sumPrices` in src/till.ts fails at line 14'],
                summary: 'Mocked\nthe clock',
                lessons: [],
                blockers: [],
              },
            ],
          })
          expect(context?.split('\n\n').at(-1)).toBe(
            '**Known from other sessions**:\n  - TASK-B turn 2 — "`sumPrices` in src/till.ts fails at line 14" went: Mocked the clock',
          )
        },
      )

      test('counts as solved by a judged turn, not by one with an error, a deferral or no decision', async () => {
        await capture(
          turnOfTask('TASK-B', 1, 1, raised),
          turnOfTask('TASK-B', 2, 2, { coachDecision: 'error' }),
          turnOfTask('TASK-B', 3, 3, { coachDecision: 'deferred' }),
          own,
        )
        expect(await known()).toEqual([])
        await capture(turnOfTask('TASK-B', 4, 4, { coachDecision: 'approved' }))
        expect(await sources()).toEqual(['TASK-B turn 4'])
      })

      test('is not shown if it names fewer than two identifiers', async () => {
        for (const [i, description] of ['The tests fail', 'The tests fail in src/till.ts'].entries()) {
          const generic = { issues: [issue(description)] }
          const task = `TASK-${i}`
          await capture(
            turnOfTask(task, 1, 1, generic),
            turnOfTask(task, 2, 2),
            ownTurn({ ...generic, onConflict: 'supersede' }),
          )
          expect(await known(), description).toEqual([])
        }
      })

      test('is not shown if the summary of the turn that solved it does not describe the work', async () => {
        const nothing = [
          '',
          '…',
          'Implementation attempt',
          'Implementation via task-work delegation. Files planned: 0',
        ]
        for (const [i, playerSummary] of nothing.entries())
          await capture(
            turnOfTask(`TASK-${i}`, 1, 1, raised),
            turnOfTask(`TASK-${i}`, 2, 2, { playerSummary }),
          )
        await capture(own)
        expect(await known()).toEqual([])
      })

      test('is not shown while the other session still has it, or has it again', async () => {
        await capture(turnOfTask('TASK-B', 1, 1, raised), turnOfTask('TASK-B', 2, 2, raised), own)
        expect(await known()).toEqual([])
        await capture(turnOfTask('TASK-B', 3, 3), turnOfTask('TASK-B', 4, 4, raised))
        expect(await known()).toEqual([])
      })

      test('is not solved by a later turn that raises it, even if an earlier turn was completed last', async () => {
        await capture(
          turnOfTask('TASK-B', 1, 9, raised),
          turnOfTask('TASK-B', 2, 2, raised),
          turnOfTask('TASK-B', 3, 10),
          own,
        )
        expect(await sources()).toEqual(['TASK-B turn 3'])
      })

      test('is shown once, from the session that shares the most files, then from the newest', async () => {
        const files = { filesModified: ['src/a.ts'] }
        await capture(
          ...['TASK-B', 'TASK-C', 'TASK-D'].flatMap((task, i) => [
            turnOfTask(task, 1, 10 * i + 1, raised),
            turnOfTask(task, 2, 10 * i + 2, task === 'TASK-B' ? files : {}),
          ]),
        )
        await capture(own)
        expect(await sources()).toEqual(['TASK-D turn 2'])
        await capture({ ...own, ...files, onConflict: 'supersede' })
        expect(await sources()).toEqual(['TASK-B turn 2'])
      })

      test('is shown together with others that the same turn solved', async () => {
        const issues = [issue('`readLog` in src/log.ts is empty'), issue('`sumPrices` in src/till.ts fails')]
        await capture(turnOfTask('TASK-B', 1, 1, { issues }), turnOfTask('TASK-B', 2, 2), ownTurn({ issues }))
        expect((await known()).map((item) => item.issues)).toEqual([
          ['`readLog` in src/log.ts is empty', '`sumPrices` in src/till.ts fails'],
        ])
      })

      test('is not shown, like all other issues, if the perspective is reset', async () => {
        await capture(turnOfTask('TASK-B', 1, 1, raised), turnOfTask('TASK-B', 2, 2), own)
        expect(await known(2, { perspectiveReset: true })).toEqual([])
      })

      test('can be of a turn before one without a verdict', async () => {
        await capture(turnOfTask('TASK-B', 1, 1, raised), turnOfTask('TASK-B', 2, 2), own)
        await capture(aTurn(2, { worldSlug: OWN, coachDecision: 'error', completedAt: at(9) }))
        expect(await sources(3)).toEqual(['TASK-B turn 2'])
      })
    })

    describe('lessons and blockers', () => {
      test('are those of turns that touched the same files, however these are spelled, or failed the same gate', async () => {
        await capture(
          turnOfTask('TASK-B', 1, 1, {
            filesModified: ['/w/.guardkit/worktrees/TASK-B/src/a.ts'],
            lessonsFromTurn: ['Close the pool', 'Await it'],
            blockersFound: ['No network'],
          }),
          turnOfTask('TASK-C', 1, 2, { gates: { tests: 'failed' }, lessonsFromTurn: ['Seed the clock'] }),
          turnOfTask('TASK-D', 1, 3, { gates: { tests: 'passed' }, lessonsFromTurn: ['Not this'] }),
          turnOfTask('TASK-E', 1, 4, { filesModified: ['src/b.ts'], lessonsFromTurn: ['Nor this'] }),
          turnOfTask('TASK-F', 1, 5, { filesModified: ['src/a.ts'] }),
          ownTurn({ filesModified: ['./src/a.ts', 'lib/../src/c.ts'], gates: { tests: 'failed' } }),
        )
        const { context } = await contextOf(2)
        expect(context?.split('\n\n').at(-1)).toBe(`**Known from other sessions**:
  - TASK-B turn 1 — lessons: Close the pool; Await it — blockers: No network
  - TASK-C turn 1 — lessons: Seed the clock`)
      })

      test('are sorted by the number of shared files, then the newest first, from at most five turns', async () => {
        const files = ['src/a.ts', 'src/b.ts', 'src/c.ts']
        for (const [i, shared] of [1, 3, 1, 2, 1, 1, 2].entries())
          await capture(
            turnOfTask(`TASK-${i}`, 1, i, {
              filesModified: [...files.slice(0, shared), `src/${i}.ts`],
              lessonsFromTurn: [`Lesson ${i}`],
            }),
          )
        await capture(ownTurn({ filesModified: files }))
        expect((await known()).flatMap(({ lessons }) => lessons)).toEqual(
          [1, 6, 3, 5, 4].map((i) => `Lesson ${i}`),
        )
      })

      test('of each turn of a finished session of the feature are shown before the first turn', async () => {
        await capture(
          turnOfTask('TASK-B', 1, 1, { lessonsFromTurn: ['Read the schema'], blockersFound: ['No disk'] }),
          turnOfTask('TASK-B', 2, 2, { coachDecision: 'approved', lessonsFromTurn: ['Keep it small'] }),
          turnOfTask('TASK-C', 1, 3, { lessonsFromTurn: ['Not finished'] }),
          turnOfTask('TASK-D', 1, 4, {
            coachDecision: 'approved',
            featureId: 'FEAT-2',
            lessonsFromTurn: ['Another feature'],
          }),
          turnOfTask('TASK-E', 1, 5, { coachDecision: 'approved', lessonsFromTurn: ['It goes on'] }),
          turnOfTask('TASK-E', 2, 6),
        )
        const { status, context } = await contextOf(1, { worldSlug: null, taskId: 'TASK-NEW' })
        expect(status).toBe('first_turn')
        expect(context).toBe(`**Known from other sessions**:
  - TASK-B turn 2 — lessons: Keep it small
  - TASK-B turn 1 — lessons: Read the schema`)
      })

      test('are shown once, and not if the newest turn of this session has them, too', async () => {
        const about = { filesModified: ['src/a.ts'], lessonsFromTurn: ['Close  the pool', 'Await it'] }
        await capture(
          turnOfTask('TASK-B', 1, 1, about),
          turnOfTask('TASK-C', 1, 2, { ...about, lessonsFromTurn: ['Await it', 'Read the log', 'Await it'] }),
          turnOfTask('TASK-D', 1, 3, { ...about, lessonsFromTurn: ['Await it'] }),
          ownTurn({ filesModified: ['src/a.ts'], lessonsFromTurn: ['Close the pool'] }),
        )
        expect((await known()).map(({ taskId, lessons }) => [taskId, lessons])).toEqual([
          ['TASK-D', ['Await it']],
          ['TASK-C', ['Read the log']],
        ])
      })
    })

    test('solved issues come first, then work on the same files, then the feature, and a turn of all three comes once', async () => {
      const raised = { issues: [issue('`sumPrices` in src/till.ts fails')] }
      const files = { filesModified: ['src/a.ts'] }
      await capture(
        turnOfTask('TASK-B', 1, 1, { coachDecision: 'approved', lessonsFromTurn: ['Of the feature'] }),
        turnOfTask('TASK-C', 1, 2, { ...files, lessonsFromTurn: ['Of the file'] }),
        turnOfTask('TASK-D', 1, 0, raised),
        turnOfTask('TASK-D', 2, 0, { ...files, coachDecision: 'approved', lessonsFromTurn: ['Of all'] }),
        ownTurn({ ...raised, ...files }),
      )
      expect(
        (await known()).map(({ taskId, turn, issues, lessons }) => [taskId, turn, issues, lessons]),
      ).toEqual([
        ['TASK-D', 2, ['`sumPrices` in src/till.ts fails'], ['Of all']],
        ['TASK-C', 1, [], ['Of the file']],
        ['TASK-B', 1, [], ['Of the feature']],
      ])
    })

    test('neither a Player nor a Coach sees the evidence of the verdicts of other sessions', async () => {
      const about = {
        filesModified: ['src/a.ts'],
        gates: { [CANARY]: 'failed' as const },
        lessonsFromTurn: ['Await it'],
      }
      await capture(
        turnOfTask('TASK-B', 1, 1, {
          ...secretsOfTheJudge,
          ...about,
          issues: [
            issue('`sumPrices` in src/till.ts fails', { suggestion: CANARY, details: { log: CANARY } }),
            issue(CANARY),
          ],
        }),
        turnOfTask('TASK-B', 2, 2, {
          ...secretsOfTheJudge,
          ...about,
          lessonsFromTurn: ['Close it'],
          coachDecision: 'approved',
        }),
        ownTurn({
          filesModified: ['src/a.ts'],
          issues: [issue('`sumPrices` in src/till.ts fails')],
          gates: { [CANARY]: 'failed' },
        }),
      )
      for (const role of ['player', 'coach'] as const) {
        const { elsewhere, context } = await contextOf(2, { role })
        expect(elsewhere?.known).toHaveLength(2)
        expect(JSON.stringify(elsewhere)).not.toContain(CANARY)
        expect(context?.slice(context.indexOf('**Known'))).not.toContain(CANARY)
      }
    })

    test('a context without `known` has no text of another session', async () => {
      const about = { filesModified: ['src/a.ts'], lessonsFromTurn: ['Await it'] }
      await capture(turnOfTask('TASK-B', 1, 1, { ...about, coachDecision: 'approved' }), ownTurn(about))
      for (const elsewhere of [undefined, 'earlier', 'off'] as const) {
        const asked = aContext(2, { worldSlug: OWN, ...(elsewhere !== undefined && { elsewhere }) })
        const context = await client().loadTurnContinuationContext(asked)
        expect(JSON.stringify(context)).not.toContain('TASK-B')
        const first = await client().loadTurnContinuationContext({
          ...asked,
          currentTurn: 1,
          worldSlug: null,
          taskId: 'TASK-NEW',
        })
        expect(first).toMatchObject({ status: 'first_turn', context: null })
      }
    })

    test('other projects, deleted sessions and the session itself contribute nothing, and off shows no session', async () => {
      const raised = { issues: [issue('`sumPrices` in src/till.ts fails')] }
      const told = { filesModified: ['src/a.ts'], lessonsFromTurn: ['Await it'] }
      const others = [
        turnOfTask('TASK-B', 1, 1, { ...told, ...raised }),
        turnOfTask('TASK-B', 2, 2, { ...told, coachDecision: 'approved' }),
      ]
      const own = ownTurn({ filesModified: ['src/a.ts'], ...raised })
      await capture(own)
      const alone = await contextOf(2)
      for (const project of ['shop/', 'sho', 'shop%', 'another'])
        await capture(...others.map((turn) => ({ ...turn, project })))
      expect(await contextOf(2)).toEqual(alone)
      expect(alone).not.toHaveProperty('elsewhere')
      await capture(...others)
      expect(await sources()).toEqual(['TASK-B turn 2'])
      expect(await contextOf(2, { elsewhere: 'off' })).toEqual(alone)
      await client().deleteWorld({ worldSlug: 'TASK-B' })
      expect(await contextOf(2)).toEqual(alone)
    })

    test('deleted sessions take no place of others, also after a restore', async () => {
      const files = { filesModified: ['src/a.ts'] }
      const sessions = Array.from({ length: 12 }, (_, i) => `TASK-${i}`)
      const about = {
        ...files,
        gates: { tests: 'failed' as const },
        issues: [issue('`sumPrices` in src/till.ts fails')],
      }
      for (const [i, session] of sessions.entries())
        await capture(
          turnOfTask(session, 1, i, {
            ...about,
            coachDecision: 'approved',
            lessonsFromTurn: [`Lesson ${i}`],
          }),
        )
      await capture(ownTurn(files))
      expect(await sources()).toEqual([11, 10, 9, 8, 7].map((i) => `TASK-${i} turn 1`))
      for (const worldSlug of sessions.slice(5)) await client().deleteWorld({ worldSlug })
      const left = [4, 3, 2, 1, 0].map((i) => `TASK-${i} turn 1`)
      expect(await sources()).toEqual(left)
      const lines = await exportOf(handles.graph)
      const other = await handles.open(() => store.open())
      await restoreLines(other, lines)
      const { elsewhere } = await clientOf(other).loadTurnContinuationContext(
        aContext(2, { worldSlug: OWN, elsewhere: 'known' }),
      )
      expect(elsewhere?.known.map(({ taskId, turn }) => `${taskId} turn ${turn}`)).toEqual(left)
      await other.close()
    })

    describe('older turns of other sessions', () => {
      const told = (minute: number): Partial<TurnToSend> => ({
        filesModified: ['src/a.ts'],
        gates: { tests: 'failed' },
        issues: [issue('`sumPrices` in src/till.ts fails')],
        lessonsFromTurn: [`Lesson of ${minute}`],
        coachDecision: 'approved',
      })
      /** TASK-1 has four turns, and TASK-3 six newer ones. */
      const fill = () =>
        capture(
          ...[1, 2, 3, 4].map((turn) => turnOfTask('TASK-1', turn, turn, told(turn))),
          ...[1, 2, 3, 4, 5, 6].map((turn) => turnOfTask('TASK-3', turn, 10 + turn, told(10 + turn))),
          ownTurn({ filesModified: ['src/a.ts'] }),
        )
      const ofTask1 = [4, 3, 2, 1].map((turn) => `TASK-1 turn ${turn}`)
      test.each([
        ['deleted', () => client().deleteWorld({ worldSlug: 'TASK-3' })],
        ['forgotten', () => forgetAll('TASK-3')],
      ])('are known once the newer ones are %s', async (_, remove) => {
        await fill()
        expect((await sources()).filter((source) => ofTask1.includes(source))).toEqual([])
        await remove()
        expect(await sources()).toEqual(ofTask1)
      })

      test.each([
        ['is about something else', { filesModified: ['src/b.ts'], gates: {}, issues: [] }],
        ['says that it was completed long ago', { completedAt: at(1) }],
      ])('are known once a newer record is replaced by one that %s', async (_, other) => {
        await fill()
        const replacing = {
          ...told(0),
          coachDecision: 'feedback',
          ...other,
          onConflict: 'supersede',
        } as const
        await capture(...[5, 6].map((turn) => turnOfTask('TASK-3', turn, 10 + turn, replacing)))
        expect(await sources()).toEqual([...[4, 3, 2, 1].map((turn) => `TASK-3 turn ${turn}`), ofTask1[0]])
      })
    })

    test('long texts are cut, and five lessons of a turn are shown', async () => {
      const lessonsFromTurn = Array.from({ length: 7 }, (_, i) => `Lesson ${i} ${'is long '.repeat(90)}`)
      await capture(
        turnOfTask('TASK-B', 1, 1, { filesModified: ['src/a.ts'], lessonsFromTurn }),
        ownTurn({ filesModified: ['src/a.ts'] }),
      )
      const [{ lessons = [] } = {}] = await known()
      expect(lessons.map((text) => text.slice(0, 8))).toEqual([0, 1, 2, 3, 4].map((i) => `Lesson ${i}`))
      expect(lessons.filter((text) => text.length > 510 || !text.endsWith('[…]'))).toEqual([])
    })

    test('a turn is linked to fifty of its files, but not to a name too long for an index', async () => {
      const filesModified = [
        `src/${'a'.repeat(9_000)}.ts`,
        ...Array.from({ length: 60 }, (_, i) => `src/${i}.ts`),
      ]
      await capture(
        turnOfTask('TASK-B', 1, 1, { filesModified, lessonsFromTurn: ['Await it'] }),
        turnOfTask('TASK-D', 1, 2, { filesModified, gates: { tests: 'failed' } }), // it has no lessons
      )
      const files = Array.from({ length: 50 }, (_, i) => `src/${i}.ts`).sort()
      expect(await handles.graph.read(touched, {})).toEqual(
        files.map((path) => ({ key: `shop/${path.replace('/', '%2F')}`, path, turns: 2 })),
      )
      await capture(ownTurn({ filesModified }))
      expect(await sources()).toEqual(['TASK-B turn 1'])
    })

    test('a superseded record is no longer shown', async () => {
      const told = { filesModified: ['src/a.ts'], lessonsFromTurn: ['Await it'] }
      await capture(turnOfTask('TASK-B', 1, 1, told), ownTurn({ filesModified: ['src/a.ts'] }))
      expect(await sources()).toEqual(['TASK-B turn 1'])
      await capture(
        turnOfTask('TASK-B', 1, 1, { ...told, filesModified: ['src/b.ts'], onConflict: 'supersede' }),
      )
      expect(await known()).toEqual([])
    })

    test('parallel captures that share files or supersede each other leave the same files as sequential ones', async () => {
      const [first, second] = [
        ['src/a.ts', 'src/b.ts', 'src/c.ts'],
        ['src/c.ts', 'src/d.ts', 'src/a.ts'],
      ]
      const session = (i: number): TurnToSend[] => {
        const about = (turn: number, filesModified: string[], more: Partial<TurnToSend> = {}) =>
          turnOfTask(`TASK-${i}`, turn, 10 * turn + i, {
            filesModified,
            lessonsFromTurn: [`Lesson ${turn}`],
            gates: { tests: 'failed' },
            issues: ['x', 'y'].map((complaint) =>
              issue(`${complaint} ${turn % 2 === 0 ? 'again' : 'fails'}`),
            ),
            ...more,
          })
        const again = { onConflict: 'supersede' as const, issues: [issue('x again')], gates: {} }
        return [
          about(1, first),
          about(1, i % 2 === 0 ? second : [], again),
          about(2, second, { coachDecision: 'approved' }),
          about(2, first.toReversed(), { ...again, coachDecision: i % 3 === 0 ? 'approved' : 'feedback' }),
        ]
      }
      const sessions = Array.from({ length: 6 }, (_, i) => session(i))
      const inProject = async (project: string, work: () => Promise<unknown>) => {
        await work()
        const all = await handles.graph.read(touched, {})
        return all.flatMap(({ key, path, turns }) =>
          String(key).startsWith(`${project}/`) ? [[path, turns]] : [],
        )
      }
      const captureAll = async (project: string, some: readonly TurnToSend[]) => {
        for (const turn of some) await client().captureTurnState({ ...turn, project })
      }
      const oneByOne = await inProject('slowly', async () => {
        for (const some of sessions) await captureAll('slowly', some)
      })
      const atOnce = await inProject('at once', () =>
        Promise.all(sessions.map((some) => captureAll('at once', some))),
      )
      expect(oneByOne).toHaveLength(4)
      expect(atOnce).toEqual(oneByOne)
    })

    const manySessions = (): TurnToSend[] =>
      Array.from({ length: 24 }, (_, i) => {
        const told = {
          filesModified: ['src/a.ts', `src/${i % 3}.ts`],
          gates: { tests: i % 2 === 0 ? ('failed' as const) : ('passed' as const) },
          lessonsFromTurn: [`Lesson ${i}`],
          blockersFound: i % 5 === 0 ? [`Blocker ${i}`] : [],
        }
        return [
          turnOfTask(`TASK-${i}`, 1, 40 * (i % 4) + i, {
            ...told,
            issues: [issue(`\`sumPrices\` in src/${'abc'[i % 3]}.ts`)],
          }),
          turnOfTask(`TASK-${i}`, 2, 40 * (i % 4) + i + 1, {
            coachDecision: i % 3 === 0 ? 'approved' : 'feedback',
            lessonsFromTurn: [`Late ${i}`],
          }),
        ]
      }).flat()
    const asking = ownTurn({
      filesModified: ['src/a.ts', 'src/1.ts'],
      gates: { tests: 'failed' },
      issues: [issue('`sumPrices` in src/b.ts')],
    })

    test('the order in which sessions are stored does not matter', async () => {
      const turns = manySessions()
      const orders = [
        turns,
        turns.toReversed(),
        turns.toSorted(
          (a, b) =>
            String(a.playerSummary).length - String(b.playerSummary).length || (a.taskId < b.taskId ? 1 : -1),
        ),
      ]
      const told: unknown[] = []
      for (const [i, order] of orders.entries()) {
        const project = `order ${i}`
        await capture(...[...order, asking].map((turn) => ({ ...turn, project })))
        told.push(await known(2, { project }))
      }
      expect(told[0]).toHaveLength(5)
      expect(told[1]).toEqual(told[0])
      expect(told[2]).toEqual(told[0])
    })

    test('a restored graph has the same knowledge of other sessions', async () => {
      await capture(...manySessions(), asking)
      const [before, found] = [await contextOf(2), await handles.graph.read(touched, {})]
      const lines = await exportOf(handles.graph)
      const other = await handles.open(() => store.open())
      await restoreLines(other, lines)
      expect(await other.read(touched, {})).toEqual(found)
      expect(
        await clientOf(other).loadTurnContinuationContext(
          aContext(2, { worldSlug: OWN, elsewhere: 'known' }),
        ),
      ).toEqual(before)
      await other.close()
    })

    test('a session that is restored only in part is not shown', async () => {
      const told = { filesModified: ['src/a.ts'], lessonsFromTurn: ['Await it'] }
      await capture(turnOfTask('TASK-B', 1, 1, told), ownTurn({ filesModified: ['src/a.ts'] }))
      const records = (await exportOf(handles.graph)).slice(1, -1).map((line) => JSON.parse(line))
      const isEnd = (line: { kind: string; world?: string }) =>
        line.kind === 'standing' && line.world === 'shop/TASK-B'
      const other = await handles.open(() => store.open())
      const sourcesThere = async () =>
        (
          await clientOf(other).loadTurnContinuationContext(
            aContext(2, { worldSlug: OWN, elsewhere: 'known' }),
          )
        ).elsewhere?.known
      await clientOf(other).restoreRecords({ records: records.filter((line) => !isEnd(line)) })
      expect(await sourcesThere()).toBeUndefined()
      await clientOf(other).restoreRecords({ records })
      expect(await sourcesThere()).toHaveLength(1)
      await other.close()
    })

    test('forgetting a session deletes the files that no other session touched', async () => {
      const told = (...filesModified: string[]) => ({ filesModified, lessonsFromTurn: ['Await it'] })
      await capture(turnOfTask('TASK-1', 1, 1, told('src/a.ts')))
      const before = await handles.graph.read(touched, {})
      await capture(
        turnOfTask('TASK-3', 1, 2, { ...told('src/a.ts', 'src/c.ts'), issues: [issue('x')] }),
        turnOfTask('TASK-3', 1, 2, { ...told('src/a.ts', 'src/d.ts'), onConflict: 'supersede' }),
      )
      expect((await handles.graph.read(touched, {})).map(({ path, turns }) => [path, turns])).toEqual([
        ['src/a.ts', 3],
        ['src/c.ts', 1],
        ['src/d.ts', 1],
      ])
      await forgetAll('TASK-3')
      expect(await handles.graph.read(touched, {})).toEqual(before)
    })
  })
}
