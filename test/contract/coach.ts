import { describe, expect, test } from 'vitest'
import { inProcessClient } from '../../src/client/in-process.ts'
import type { OperationInput } from '../../src/operations/table.ts'
import { aContext, aTurn, clientOf, FEATURE, PROJECT, TASK, type TurnToSend } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

type Status = 'verified' | 'rejected' | 'pending' | 'unknown'
type Verdict = Status | [Status, string]

const LETTERS = ['A', 'B', 'C', 'D', 'E', 'F']
const textOf = (criterionId: string) =>
  `The criterion ${LETTERS[Number(criterionId.slice(-1)) - 1]} holds for every input`

const judged = (verdicts: Record<string, Verdict>): Partial<TurnToSend> => ({
  verifications: Object.entries(verdicts).map(([criterionId, verdict]) => {
    const [status, evidence] = typeof verdict === 'string' ? [verdict, null] : verdict
    return { criterionId, criterionText: textOf(criterionId), status, evidence }
  }),
})

const promised = (...criterionIds: string[]): Partial<TurnToSend> => ({
  promises: criterionIds.map((criterionId) => ({
    criterionId,
    criterionText: textOf(criterionId),
    status: 'complete' as const,
    evidence: `the Player's proof of ${criterionId}`,
  })),
})

const complaint = (description: string, more: Partial<TurnToSend> = {}): Partial<TurnToSend> => ({
  ...more,
  coachDecision: 'feedback',
  coachFeedback: description,
  issues: [{ severity: 'must_fix', category: 'requirements', description }],
})

/** The six criteria of seed 004's session. */
const SIX = ['AC-001', 'AC-002', 'AC-003', 'AC-004', 'AC-005', 'AC-006']

/** The questions of a Coach: proven criteria, promises, stalls and their causes. */
export function coachContract(store: StoreUnderTest): void {
  describe('the questions of a Coach', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const capture = async (...turns: TurnToSend[]) => {
      for (const turn of turns) await client().captureTurnState(turn)
    }
    const target = { project: PROJECT, featureId: FEATURE, taskId: TASK }
    const criteria = (more: Partial<OperationInput<'listCriteria'>> = {}) =>
      client().listCriteria({ ...target, ...more })
    const promises = (turn: number, more: Partial<OperationInput<'recoverPromises'>> = {}) =>
      client().recoverPromises({ ...target, turn, ...more })
    const stall = (more: Partial<OperationInput<'loadStall'>> = {}) =>
      client().loadStall({ ...target, ...more })
    const why = (turn?: number) => client().explainTurn({ ...target, turn })

    describe('the matrix of criteria over turns', () => {
      const matrix = async () => {
        const { worldSlug } = await client().getTurn({ project: PROJECT, worldSlug: TASK, turnNumber: 1 })
        const [{ criteria: byTurn }, { criteria: states, promisedNotJudged }] = await Promise.all([
          client().listCriteriaByTurn({ project: PROJECT, worldSlug }),
          criteria(),
        ])
        const labels = new Map([...states, ...promisedNotJudged].map((one) => [one.key, one.criterionId]))
        return Object.fromEntries(byTurn.map(({ key, ...turns }) => [labels.get(key), turns]))
      }
      const NO_TURNS = {
        ...{ verifiedIn: [], rejectedIn: [], unknownIn: [], promisedIn: [], unfinishedIn: [] },
        ...{ observedIn: [], repeatedIn: [], misplacedIn: [], bareIn: [] },
      }

      test('lists for each criterion the turns that verified, rejected, left open and promised it', async () => {
        await capture(
          aTurn(1, { ...promised('AC-001', 'AC-002', 'AC-003') }),
          aTurn(2, { ...judged({ 'AC-001': 'verified', 'AC-002': 'rejected' }), ...promised('AC-001') }),
          aTurn(3, judged({ 'AC-001': 'unknown', 'AC-002': 'pending' })),
          aTurn(12, judged({ 'AC-001': 'rejected', 'AC-002': 'verified' })),
        )
        expect(await matrix()).toEqual({
          'AC-001': {
            ...NO_TURNS,
            verifiedIn: [2],
            rejectedIn: [12],
            unknownIn: [3],
            promisedIn: [1, 2],
            bareIn: [2],
          },
          'AC-002': {
            ...NO_TURNS,
            verifiedIn: [12],
            rejectedIn: [2],
            unknownIn: [3],
            promisedIn: [1],
            bareIn: [12],
          },
          'AC-003': { ...NO_TURNS, promisedIn: [1] },
        })
      })

      test('a promise that is not complete is unfinished', async () => {
        await capture(
          aTurn(1, {
            promises: (['complete', 'partial', 'incomplete', 'uncertain'] as const).map((status, i) => ({
              criterionId: `AC-00${i + 1}`,
              criterionText: `Text of AC-00${i + 1}`,
              status,
            })),
          }),
        )
        expect(await matrix()).toMatchObject({
          'AC-001': { promisedIn: [1], unfinishedIn: [] },
          'AC-002': { promisedIn: [1], unfinishedIn: [1] },
          'AC-003': { promisedIn: [1], unfinishedIn: [1] },
          'AC-004': { promisedIn: [1], unfinishedIn: [1] },
        })
      })

      test('a verdict wins over an unknown of the same turn, the last of two verdicts wins, and a claim is no verdict', async () => {
        const verdict = (status: Status, source?: 'player' | 'gate') => ({
          criterionId: 'AC-001',
          criterionText: textOf('AC-001'),
          status,
          ...(source && { source }),
        })
        await capture(
          aTurn(1, { verifications: [verdict('verified'), verdict('unknown', 'gate')] }),
          aTurn(2, { verifications: [verdict('rejected'), verdict('verified', 'gate')] }),
          aTurn(3, { verifications: [verdict('verified', 'player')] }),
        )
        expect(await matrix()).toEqual({
          'AC-001': { ...NO_TURNS, verifiedIn: [1, 2], bareIn: [1, 2] },
        })
      })

      test('lists how the verification of each turn is known, with the promises of that time', async () => {
        const promise = (label: string, evidence: string) => ({
          criterionId: label,
          criterionText: textOf(label),
          status: 'complete' as const,
          evidence,
        })
        const verified = (evidence: string) => ({
          verifications: [
            { criterionId: 'AC-001', criterionText: textOf('AC-001'), status: 'verified' as const, evidence },
          ],
        })
        const promises = [promise('AC-001', 'the suite passes'), promise('AC-002', 'the page opens')]
        await capture(
          aTurn(1, { promises, ...verified('I ran it and read its code') }),
          aTurn(2, verified('the suite passes')),
          aTurn(3, verified('the page opens')),
          aTurn(4, { promises: [promise('AC-001', 'a new text')], ...verified('the suite passes') }),
          aTurn(5, verified('')),
        )
        await client().addVerifications({
          ...{ project: PROJECT, worldSlug: TASK, turnNumber: 5 },
          verifications: [
            {
              ...{ criterionId: 'AC-001', criterionText: textOf('AC-001'), status: 'verified' },
              observation: { command: ['npm', 'test'], exitCode: 0, startedAt: '2026-01-02T00:00:00Z' },
            },
          ],
        })
        expect((await matrix())['AC-001']).toMatchObject({
          verifiedIn: [1, 2, 3, 4, 5],
          ...{ observedIn: [5], repeatedIn: [2], misplacedIn: [3], bareIn: [] },
        })
      })

      test('a missing or deleted world is an error, not an empty matrix', async () => {
        await expect(
          client().listCriteriaByTurn({ project: PROJECT, worldSlug: 'w9' }),
        ).rejects.toMatchObject({
          code: 'unknown_world',
        })
        await capture(aTurn(1))
        await client().deleteWorld({ project: PROJECT, worldSlug: TASK })
        await expect(
          client().listCriteriaByTurn({ project: PROJECT, worldSlug: TASK }),
        ).rejects.toMatchObject({
          code: 'world_deleted',
        })
      })
    })

    describe("seed 004's acceptance list", () => {
      test('a turn without promises has those of the newest earlier turn that has any', async () => {
        await capture(aTurn(1, promised('AC-001')), aTurn(2, promised(...SIX)), aTurn(3), aTurn(4))
        const recovered = await promises(5)
        expect(recovered).toMatchObject({ source: 'recovered', recoveredFromTurn: 2 })
        expect(recovered.items.map(({ label }) => label)).toEqual(SIX)
      })

      test('the recovery is logged at INFO, in these words', async () => {
        await capture(aTurn(1, promised(...SIX)), aTurn(2))
        const logged: string[] = []
        const logging = inProcessClient({
          graph: handles.graph,
          project: PROJECT,
          log: (message) => logged.push(message),
        })
        const { message } = await logging.recoverPromises({ ...target, turn: 3 })
        expect(message).toBe(
          'No completion_promises in current turn — recovered from player_turn_1.json (6 promises)',
        )
        expect(logged).toEqual([message])
      })

      test('a recovery is logged once, even if it is part of the context of the Coach', async () => {
        await capture(aTurn(1, promised(...SIX)), aTurn(2))
        const logged: string[] = []
        const logging = inProcessClient({
          graph: handles.graph,
          project: PROJECT,
          log: (message) => logged.push(message),
        })
        await logging.loadTurnContinuationContext({ ...target, currentTurn: 3, role: 'player' })
        expect(logged).toEqual([])
        const { promises } = await logging.loadTurnContinuationContext({
          ...target,
          currentTurn: 3,
          role: 'coach',
        })
        expect(logged).toEqual([promises?.message])
        expect(promises?.source).toBe('recovered')
        // The answer of a claim has the contexts of both roles.
        await logging.createWorld({ ...target, worldSlug: TASK })
        const { attemptId = '' } = await logging.runTurn({ worldSlug: TASK })
        const { continuation } = await logging.claimAttempt({ attemptId, workerId: 'w' })
        expect(logged).toEqual([promises?.message, continuation?.coach.promises?.message])
      })

      test('without earlier promises the answer is empty and has no message', async () => {
        expect(await promises(1)).toMatchObject({ source: 'none', items: [] })
        await capture(aTurn(1), aTurn(2))
        expect(await promises(3)).toEqual({ source: 'none', items: [], taskKnown: true })
      })

      test('criteria verified in turn N are verified in turn N+1, even if the Coach gives feedback', async () => {
        await capture(
          aTurn(1, judged({ 'AC-001': 'verified', 'AC-002': 'rejected' })),
          aTurn(2, complaint('nothing was found', judged({ 'AC-001': 'unknown', 'AC-002': 'verified' }))),
          aTurn(3, complaint('nothing was found')),
        )
        expect(await criteria()).toMatchObject({ asOfTurn: 3, total: 2, verified: 2, remaining: [] })
      })

      test('a session whose first turn met all criteria is never stopped, even if later turns omit promises', async () => {
        await capture(aTurn(1, { ...promised(...SIX), ...complaint('0/6 criteria met') }))
        for (let turn = 2; turn <= 9; turn++) {
          await capture(
            aTurn(
              turn,
              complaint(
                '0/6 criteria met',
                judged(Object.fromEntries(SIX.map((id) => [id, 'rejected' as const]))),
              ),
            ),
          )
          const answer = await stall()
          expect(answer.shouldStop, `after turn ${turn}`).toBe(false)
          expect(answer.reason).not.toContain('UNRECOVERABLE_STALL')
        }
        expect(await stall()).toMatchObject({ verdict: 'stalled', shouldStop: false })
        expect((await stall()).suggestion).toMatch(/promise/)
      })
    })

    test.each([
      'Promise status: incomplete',
      'No completion promise for AC-001',
      'Not found in Player requirements_met',
      '[Text fallback] nothing was found',
      'Matched in Player requirements_met',
      '- **Promise status**: incomplete',
      '',
    ])(
      'a rejection with only the text %j is absence, under every policy, and stops no session',
      async (text) => {
        await capture(aTurn(1, { ...promised('AC-001', 'AC-002'), ...judged({ 'AC-001': 'verified' }) }))
        for (let turn = 2; turn <= 7; turn++) {
          const rejected = judged({ 'AC-001': ['rejected', text], 'AC-002': ['rejected', text] })
          await capture(aTurn(turn, complaint('0/2 criteria met', rejected)))
        }
        expect(await promises(8)).toMatchObject({ source: 'recovered', recoveredFromTurn: 1 })
        for (const policy of ['sticky', 'evidence', 'latest', 'fresh'] as const)
          expect((await stall({ policy })).shouldStop, policy).toBe(false)
        expect(await criteria({ policy: 'evidence' })).toMatchObject({
          verified: 1,
          criteria: [{ state: 'verified', contested: { turn: 7 } }, { state: 'rejected' }],
        })
      },
    )

    test.each([
      "`the Player's proof of AC-001`",
      "- **The Player's proof** of AC-001",
      '"the Player\'s proof of AC-001."',
    ])(
      'a rejection that repeats a promise of its turn as %j has no evidence of its own, and stops no session',
      async (text) => {
        for (let turn = 1; turn <= 3; turn++) {
          const turnOfPromise = { ...promised('AC-001'), ...judged({ 'AC-001': ['rejected', text] }) }
          await capture(aTurn(turn, complaint('0/1 criteria met', turnOfPromise)))
        }
        expect(await stall()).toMatchObject({ verdict: 'stalled', shouldStop: false })
      },
    )

    describe('promises', () => {
      test('promises of the turn itself come first, even if it is not captured yet', async () => {
        await capture(aTurn(1, promised('AC-001')), aTurn(2, promised('AC-002')))
        expect(await promises(2)).toMatchObject({ source: 'current', items: [{ label: 'AC-002' }] })
        expect(await promises(1)).toMatchObject({ source: 'current', items: [{ label: 'AC-001' }] })
        expect(await promises(7)).toMatchObject({ source: 'recovered', recoveredFromTurn: 2 })
      })

      test('promises as of an earlier turn show nothing of later ones', async () => {
        await capture(aTurn(2, promised('AC-001')), aTurn(3), aTurn(4, promised('AC-002')))
        expect(await promises(1)).toEqual({ source: 'none', items: [], taskKnown: true })
        expect(await promises(3)).toMatchObject({ source: 'recovered', recoveredFromTurn: 2 })
      })

      test('promises are recovered from late and superseding turns, too', async () => {
        await capture(aTurn(1, promised('AC-001')), aTurn(4))
        await capture(aTurn(3, promised('AC-002')))
        expect(await promises(5)).toMatchObject({ recoveredFromTurn: 3 })
        await capture({ ...aTurn(3, { playerSummary: 'without' }), onConflict: 'supersede' })
        expect(await promises(5)).toMatchObject({ recoveredFromTurn: 1 })
      })

      test('a promise has the resolved id and the label that the Player gave', async () => {
        await capture(
          aTurn(1, {
            promises: [{ criterionId: 'AC-002', criterionText: textOf('AC-001'), status: 'complete' }],
            verifications: [{ criterionId: 'AC-001', criterionText: textOf('AC-001'), status: 'verified' }],
          }),
        )
        const { items } = await promises(2)
        expect(items).toMatchObject([{ criterionId: 'AC-001', label: 'AC-002', status: 'complete' }])
        const [criterion] = (await criteria()).criteria
        expect(items[0]?.key).toBe(criterion?.key)
      })

      test('a promise of a criterion that was merged later counts for the merged one', async () => {
        await capture(
          aTurn(1, {
            promises: [{ criterionId: 'AC-001', status: 'complete' }],
            verifications: [{ criterionId: 'AC-001', status: 'pending' }],
          }),
          aTurn(2, {
            promises: [{ criterionId: 'AC-001', criterionText: textOf('AC-001'), status: 'complete' }],
            verifications: [{ criterionId: 'AC-001', status: 'verified' }],
          }),
        )
        const [criterion, ...others] = (await criteria()).criteria
        expect(others).toEqual([])
        for (const turn of [1, 2, 3]) {
          expect(
            (await promises(turn)).items.map(({ key }) => key),
            `turn ${turn}`,
          ).toEqual([criterion?.key])
        }
      })

      test('a deleted world has no promises', async () => {
        await capture(aTurn(1, promised('AC-001')))
        await client().deleteWorld({ worldSlug: TASK })
        await expect(promises(2, { worldSlug: TASK })).rejects.toMatchObject({ code: 'world_deleted' })
        expect(await promises(2)).toEqual({ source: 'none', items: [], taskKnown: true })
      })

      test('each world has its own promises, and a missing named world is an error', async () => {
        await capture(aTurn(1, { worldSlug: 'a', ...promised('AC-001') }), aTurn(1, { worldSlug: 'b' }))
        expect(await promises(2, { worldSlug: 'a' })).toMatchObject({ source: 'recovered' })
        expect(await promises(2, { worldSlug: 'b' })).toMatchObject({ source: 'none' })
        await expect(promises(2, { worldSlug: 'nowhere' })).rejects.toMatchObject({ code: 'unknown_world' })
        expect(await promises(2, { taskId: 'nobody' })).toMatchObject({ source: 'none', items: [] })
      })
    })

    describe('criteria', () => {
      const session = [
        aTurn(1, judged({ 'AC-001': ['verified', 'seen'], 'AC-002': 'rejected', 'AC-003': 'verified' })),
        aTurn(2, judged({ 'AC-001': ['rejected', 'the test fails now'], 'AC-002': 'verified' })),
        aTurn(3, judged({ 'AC-003': 'rejected', 'AC-002': 'unknown' })),
        aTurn(4, judged({ 'AC-001': 'verified', 'AC-003': 'pending' })),
      ]
      const states = async (more: Parameters<typeof criteria>[0]) =>
        Object.fromEntries(
          (await criteria(more)).criteria.map((c) => [
            c.criterionId,
            `${c.state}@${c.verifiedInTurn}${c.contested === null ? '' : `!${c.contested.turn}`}`,
          ]),
        )

      test('sticky: a rejection contests, a verification clears it', async () => {
        await capture(...session)
        expect(await states({ turn: 1 })).toEqual({
          'AC-001': 'verified@1',
          'AC-002': 'rejected@null',
          'AC-003': 'verified@1',
        })
        expect(await states({ turn: 2 })).toEqual({
          'AC-001': 'verified@1!2',
          'AC-002': 'verified@2',
          'AC-003': 'verified@1',
        })
        expect(await states({})).toEqual({
          'AC-001': 'verified@1',
          'AC-002': 'verified@2',
          'AC-003': 'verified@1!3',
        })
      })

      test('evidence: a rejection with its own evidence revokes the verification', async () => {
        await capture(...session)
        const policy = 'evidence' as const
        expect(await states({ turn: 2, policy })).toMatchObject({ 'AC-001': 'rejected@null' })
        expect(await states({ turn: 3, policy })).toMatchObject({ 'AC-003': 'verified@1!3' })
        expect(await states({ policy })).toMatchObject({ 'AC-001': 'verified@4' })
      })

      test('latest: the last verdict except unknown counts', async () => {
        await capture(...session)
        const policy = 'latest' as const
        expect(await states({ turn: 3, policy })).toEqual({
          'AC-001': 'rejected@null',
          'AC-002': 'verified@2',
          'AC-003': 'rejected@null',
        })
        expect(await states({ policy })).toMatchObject({ 'AC-003': 'pending@null' })
      })

      test('the totals contain the remaining criteria', async () => {
        await capture(...session)
        expect(await criteria({ turn: 1 })).toMatchObject({
          worldSlug: TASK,
          asOfTurn: 1,
          policy: 'sticky',
          total: 3,
          verified: 2,
          remaining: ['AC-002'],
        })
      })

      test('a Coach sees the reason and the history, a Player neither', async () => {
        await capture(...session)
        const [coach] = (await criteria({ turn: 2 })).criteria
        expect(coach).toMatchObject({
          contested: { turn: 2, reason: 'the test fails now' },
          history: [
            { turn: 1, status: 'verified', source: 'coach', evidence: 'seen' },
            { turn: 2, status: 'rejected', source: 'coach', evidence: 'the test fails now' },
          ],
        })
        const player = await criteria({ turn: 2, role: 'player' })
        expect(player.criteria[0]?.contested).toEqual({ turn: 2 })
        expect(JSON.stringify(player)).not.toMatch(/seen|fails now|history|"coach"\]/)
      })

      test('the criteria as of a turn equal those at that time, also after supersede and late arrival', async () => {
        const then: unknown[] = []
        for (const turn of session) {
          await capture(turn)
          then.push(await criteria())
        }
        for (const [i, view] of then.entries()) {
          const now = await criteria({ turn: i + 1 })
          const bare = (v: typeof now) => v.criteria.map(({ aliases, ...c }) => c)
          expect(bare(now)).toEqual(bare(view as typeof now))
        }
      })

      test('the same id in the map and in the full form is one criterion', async () => {
        await capture(
          aTurn(1, {
            acceptanceCriteriaStatus: { 'AC-001': 'rejected', 'AC-002': 'verified' },
            ...judged({ 'AC-001': 'verified', 'AC-002': 'verified' }),
          }),
        )
        expect(await states({})).toEqual({ 'AC-001': 'verified@1', 'AC-002': 'verified@1' })
      })

      test('a merge holds through a late turn that names no criterion', async () => {
        const byId = (...verdicts: [string, Status][]): Partial<TurnToSend> => ({
          worldSlug: 'w',
          promises: [{ criterionId: 'AC-001', criterionText: textOf('AC-001'), status: 'complete' }],
          verifications: verdicts.map(([criterionId, status]) => ({ criterionId, status })),
        })
        await capture(
          aTurn(1, byId(['AC-001', 'rejected'], ['AC-002', 'verified'])),
          aTurn(2, byId(['AC-001', 'verified'])),
        )
        const before = await criteria({ worldSlug: 'w' })
        expect(before).toMatchObject({ total: 2, verified: 2 })
        await capture(aTurn(4, { worldSlug: 'w' }), aTurn(3, { worldSlug: 'w' }))
        const after = await criteria({ worldSlug: 'w' })
        expect(after.criteria).toEqual(before.criteria)
        expect((await criteria({ worldSlug: 'w', turn: 3 })).criteria).toEqual(before.criteria)
      })

      test('a contested criterion shows the given reason, even if another judge gave none', async () => {
        const said = (status: Status, source: 'coach' | 'gate', evidence: string | null) => ({
          criterionId: 'AC-001',
          criterionText: textOf('AC-001'),
          status,
          source,
          evidence,
        })
        await capture(
          aTurn(1, { verifications: [said('verified', 'coach', 'seen')] }),
          aTurn(2, {
            verifications: [said('rejected', 'coach', 'it clicks'), said('rejected', 'gate', null)],
          }),
        )
        expect((await criteria()).criteria[0]?.contested).toEqual({ turn: 2, reason: 'it clicks' })
      })

      test('a long history shows the newest twenty verdicts, and pages return all', async () => {
        for (let turn = 1; turn <= 40; turn++) {
          await capture(
            aTurn(
              turn,
              judged({
                'AC-001': ['rejected', `seen in ${turn}`],
                ...(turn === 3 ? { 'AC-002': ['verified', 'long ago'] as const } : {}),
              }),
            ),
          )
        }
        const view = await criteria()
        const [often, once] = view.criteria
        expect(often?.history?.map(({ turn }) => turn)).toEqual(Array.from({ length: 20 }, (_, i) => i + 21))
        expect(often).toMatchObject({ historyOmitted: 20 })
        expect(once?.history).toEqual([
          { turn: 3, status: 'verified', source: 'coach', evidence: 'long ago' },
        ])
        const pages: number[] = []
        let cursor: string | null = null
        do {
          const found: Awaited<ReturnType<ReturnType<typeof client>['getCriterionHistory']>> =
            await client().getCriterionHistory({ project: PROJECT, key: often?.key ?? '', limit: 15, cursor })
          pages.push(...found.items.map(({ turn }) => turn))
          cursor = found.nextCursor
        } while (cursor !== null)
        expect(pages).toEqual(Array.from({ length: 40 }, (_, i) => i + 1))
        await expect(
          client().getCriterionHistory({ project: 'another', key: often?.key ?? '' }),
        ).rejects.toMatchObject({ code: 'not_found' })
      })

      test('a task without turns has an empty list of criteria, not an error', async () => {
        expect(await criteria({ taskId: 'nobody' })).toEqual({
          worldSlug: null,
          asOfTurn: 0,
          policy: 'sticky',
          total: 0,
          verified: 0,
          observed: 0,
          judged: 0,
          repeated: 0,
          misplaced: 0,
          bare: 0,
          contested: 0,
          refuted: 0,
          allVerified: false,
          remaining: [],
          promisedNotJudged: [],
          criteria: [],
          taskKnown: false,
          near: [],
          taskMessage: 'No task nobody in feature FEAT-1 of project shop: nothing is stored in that project.',
        })
      })
    })

    describe('stall', () => {
      test('a session without a judged turn has insufficient data', async () => {
        expect(await stall()).toMatchObject({ verdict: 'insufficient_data', shouldStop: false, window: 0 })
        await capture(aTurn(1, { coachDecision: 'error' }), aTurn(2, { coachDecision: 'unknown' }))
        expect(await stall()).toMatchObject({ verdict: 'insufficient_data', sinceTurn: null })
      })

      test('three equal feedbacks with nothing verified stop the session', async () => {
        await capture(
          aTurn(1, complaint('the build fails in 12 s')),
          aTurn(2, complaint('the build fails in 13.5 s')),
        )
        expect(await stall()).toMatchObject({ verdict: 'no_growth', shouldStop: false })
        await capture(aTurn(3, complaint('The build fails in 9 s')))
        const answer = await stall()
        expect(answer).toMatchObject({ verdict: 'stalled', shouldStop: true, sinceTurn: 1, window: 3 })
        expect(answer.reason).toMatch(/^UNRECOVERABLE_STALL: turns 1 to 3 /)
        expect(new Set(answer.signatures.map(({ signature }) => signature)).size).toBe(1)
        expect(answer.signatures).toMatchObject([
          { turn: 1, blocking: 1, verifiedTotal: 0 },
          { turn: 2 },
          { turn: 3 },
        ])
        expect(await stall({ turn: 2 })).toMatchObject({ verdict: 'no_growth' })
      })

      test('an approval restarts all windows', async () => {
        const same = complaint('the build fails')
        await capture(aTurn(1, same), aTurn(2, same), aTurn(3, { coachDecision: 'approved' }))
        expect(await stall()).toMatchObject({ verdict: 'finished', shouldStop: false })
        await capture(aTurn(4, same))
        expect(await stall()).toMatchObject({ verdict: 'insufficient_data' })
        await capture(aTurn(5, same))
        expect(await stall()).toMatchObject({ verdict: 'no_growth' })
      })

      test('five equal feedbacks stop a session with remaining criteria, but not one with all verified', async () => {
        const some = judged({ 'AC-001': 'verified', 'AC-002': 'rejected' })
        for (let turn = 1; turn <= 5; turn++) await capture(aTurn(turn, complaint('AC-002 is not met', some)))
        expect(await stall({ turn: 4 })).toMatchObject({ verdict: 'plateau', shouldStop: false })
        expect(await stall()).toMatchObject({
          verdict: 'stalled',
          shouldStop: true,
          criteriaLeft: ['AC-002'],
        })
        await capture(aTurn(6, complaint('AC-002 is not met', judged({ 'AC-002': 'verified' }))))
        for (let turn = 7; turn <= 12; turn++) {
          await capture(aTurn(turn, { ...complaint('AC-002 is not met'), gates: { bdd: 'failed' } }))
          expect((await stall()).shouldStop).toBe(false)
        }
        const answer = await stall()
        expect(answer.verdict).toBe('plateau')
        expect(answer.reason).toContain('bdd blocks')
        expect(answer.suggestion).toContain('bdd')
      })

      test('feedback that returns after other feedback is an oscillation', async () => {
        for (const [i, description] of ['one', 'two', 'one', 'two'].entries())
          await capture(aTurn(i + 1, complaint(`complaint ${description}`)))
        expect(await stall({ turn: 3 })).toMatchObject({ verdict: 'no_growth' })
        expect(await stall()).toMatchObject({ verdict: 'oscillating', shouldStop: false })
      })

      test('a verdict that changes direction three times oscillates', async () => {
        for (const [i, status] of (['verified', 'rejected', 'verified', 'rejected'] as const).entries())
          await capture(aTurn(i + 1, complaint(`complaint ${'abcd'[i]}`, judged({ 'AC-001': status }))))
        const answer = await stall()
        expect(answer.verdict).toBe('oscillating')
        expect(answer.reason).toContain('AC-001')
      })

      test.each(['sticky', 'evidence', 'latest'] as const)(
        'progress follows the policy (%s)',
        async (policy) => {
          await capture(
            aTurn(1, complaint('a', judged({ 'AC-001': 'verified', 'AC-002': 'verified' }))),
            aTurn(2, complaint('b', judged({ 'AC-001': ['rejected', 'it broke'], 'AC-002': 'rejected' }))),
            aTurn(3, complaint('c')),
          )
          const totals = (await stall({ policy })).signatures.map(({ verifiedTotal }) => verifiedTotal)
          expect(totals).toEqual({ sticky: [2, 2, 2], evidence: [2, 1, 1], latest: [2, 0, 0] }[policy])
        },
      )

      test('late and superseding turns count at their number', async () => {
        await capture(aTurn(1, complaint('same')), aTurn(3, complaint('same')))
        expect(await stall()).toMatchObject({ verdict: 'no_growth' })
        await capture(aTurn(2, complaint('same')))
        expect(await stall()).toMatchObject({ verdict: 'stalled', shouldStop: true })
        await capture({ ...aTurn(2, { coachDecision: 'approved' }), onConflict: 'supersede' })
        expect(await stall()).toMatchObject({ verdict: 'insufficient_data', shouldStop: false })
      })

      test('late turns before an approval do not hide it', async () => {
        const same = complaint('same')
        for (let turn = 1; turn <= 7; turn++) await capture(aTurn(turn, same))
        await capture(aTurn(9, { coachDecision: 'approved' }), aTurn(8, same), aTurn(10, same))
        const newest = await stall()
        expect(newest).toMatchObject({ verdict: 'insufficient_data', shouldStop: false })
        await capture(aTurn(11, { coachDecision: 'error' }))
        expect(await stall({ turn: 10 })).toEqual(newest)
      })

      test('a verification in a deferred turn is progress, too', async () => {
        for (let turn = 1; turn <= 3; turn++)
          await capture(aTurn(turn, complaint('same', judged({ 'AC-001': 'rejected' }))))
        expect(await stall()).toMatchObject({ verdict: 'stalled', shouldStop: true })
        await capture(aTurn(4, { coachDecision: 'deferred', ...judged({ 'AC-001': 'verified' }) }))
        expect(await stall()).toMatchObject({ verdict: 'progressing', shouldStop: false })
      })

      test('the reason names criteria that the Coach rejects without evidence after it verified them', async () => {
        const all = (status: Verdict) => judged({ 'AC-001': status, 'AC-002': status })
        await capture(
          aTurn(1, complaint('not all met', judged({ 'AC-001': 'verified' }))),
          aTurn(2, complaint('not all met', all('verified'))),
          aTurn(3, complaint('not all met', all('rejected'))),
          aTurn(4, complaint('not all met', all('rejected'))),
        )
        const fourth = await stall()
        expect(fourth.verdict).toBe('no_growth')
        expect(fourth.reason).toBe(
          'No progress in 2 turns (turns 3 and 4), too few to call it a stall. Now 2 of 2 criteria are verified, 2 contested in turn 4. Repeated: "not all met"',
        )
        await capture(
          aTurn(
            5,
            complaint('not all met', judged({ 'AC-001': ['rejected', 'it broke'], 'AC-002': 'rejected' })),
          ),
        )
        const fifth = await stall()
        expect(fifth).toMatchObject({ verdict: 'plateau', shouldStop: false })
        expect(fifth.suggestion).toBe(
          'All 2 criteria are verified. Turn 5 rejects with evidence what was verified before: AC-001. Turn 5 rejects without evidence what was verified before: AC-002. The Coach should show what fails, or let the earlier verdict stand.',
        )
      })

      test('stall does not report "all verified" while a promised criterion was never judged', async () => {
        for (let turn = 1; turn <= 4; turn++) {
          const said = { ...promised('AC-001', 'AC-002'), ...judged({ 'AC-001': 'verified' }) }
          await capture(aTurn(turn, { ...complaint('bdd fails', said), gates: { bdd: 'failed' } }))
        }
        const answer = await stall()
        expect(answer.verdict).toBe('plateau')
        const tally = `1 of 1 criterion is verified; 1 promised, never judged: "${textOf('AC-002')}"`
        expect(answer.reason).toContain(tally)
        expect(answer.suggestion).toBe(
          `${tally}. Have that judged, and look at bdd, which blocks the approval.`,
        )
        expect(`${answer.reason} ${answer.suggestion}`).not.toMatch(/all .* verified/i)
        expect(await criteria()).toMatchObject({
          verified: 1,
          total: 1,
          promisedNotJudged: [{ criterionId: 'AC-002' }],
        })
      })

      test('the stall line includes the suggestion, for a Player without gates and evidence', async () => {
        for (let turn = 1; turn <= 4; turn++)
          await capture(
            aTurn(turn, {
              ...complaint(
                `complaint ${'abcd'[turn - 1]}`,
                judged({ 'AC-001': turn === 4 ? 'rejected' : 'verified' }),
              ),
              gates: { 'CANARY-gate': 'failed' },
            }),
          )
        const load = (role: 'player' | 'coach') => client().loadTurnContinuationContext(aContext(5, { role }))
        const [coach, player] = [await load('coach'), await load('player')]
        const line = (context: string | null) => /\n\*\*Stall warning\*\*: (.*)/.exec(context ?? '')?.[1]
        expect(line(coach.context)).toContain(coach.stall?.suggestion)
        expect(line(player.context)).toBe(
          `${player.stall?.verdict} since turn ${player.stall?.sinceTurn}. ${player.stall?.suggestion}`,
        )
        expect(player.stall?.suggestion).toMatch(/Turn 4 rejects what was verified before: AC-0*1\./)
        expect(JSON.stringify(player)).not.toMatch(/CANARY|evidence/)
      })

      test('the context warns: a Coach with the reason, a Player without', async () => {
        for (let turn = 1; turn <= 4; turn++)
          await capture(
            aTurn(turn, {
              ...complaint(
                `complaint ${'abcd'[turn - 1]}`,
                judged({ 'AC-001': 'verified', 'AC-002': 'rejected' }),
              ),
              gates: { 'CANARY-gate': 'failed' },
            }),
          )
        const load = (role: 'player' | 'coach') => client().loadTurnContinuationContext(aContext(5, { role }))
        const coach = await load('coach')
        expect(coach.context).toMatch(/\*\*Stall warning\*\*: plateau.*CANARY-gate/s)
        expect({ ...coach.stall, taskKnown: true }).toEqual(await stall())
        const player = await load('player')
        expect(player.context).toContain('**Stall warning**: plateau since turn 1; criteria left: AC-002')
        expect(JSON.stringify(player)).not.toContain('CANARY')
        expect(player.stall).toEqual({
          verdict: 'plateau',
          shouldStop: false,
          sinceTurn: 1,
          window: 4,
          criteriaLeft: ['AC-002'],
          signatures: [1, 2, 3, 4].map((turn) => ({ turn, verifiedTotal: 1 })),
        })
      })
    })

    describe('the context', () => {
      test('holds the promises for the coming turn: a Coach reads their proof, a Player does not', async () => {
        await capture(aTurn(1, promised('AC-001')), aTurn(2))
        const load = (role: 'player' | 'coach') => client().loadTurnContinuationContext(aContext(3, { role }))
        const coach = await load('coach')
        expect({ ...coach.promises, taskKnown: true }).toEqual(await promises(3))
        expect(coach.context).toMatch(/\*\*Promises recovered from turn 1\*\*: 1\n {2}- AC-001: complete/)
        const player = await load('player')
        expect(player.promises?.items).toMatchObject([{ label: 'AC-001', status: 'complete' }])
        expect(JSON.stringify(player)).not.toContain("the Player's proof")
        expect(player.context).not.toContain('Promises recovered')
        const afterPromises = await client().loadTurnContinuationContext(aContext(2, { role: 'player' }))
        expect(afterPromises.prior?.promises).toMatchObject([{ criterionId: 'AC-001', status: 'complete' }])
        expect(JSON.stringify(afterPromises)).not.toContain("the Player's proof")
      })
    })

    describe('why', () => {
      test('describes the work, the blockers, and the criteria lost and won since the turn before', async () => {
        await capture(
          aTurn(1, judged({ 'AC-001': 'verified', 'AC-002': 'rejected', 'AC-003': 'verified' })),
          aTurn(2, {
            playerSummary: 'Rebuilt the parser',
            ...complaint('the parser drops the last line'),
            ...judged({ 'AC-001': ['rejected', 'test_parse fails'], 'AC-002': ['verified', 'seen'] }),
            gates: { tests: 'failed', coverage: 'passed' },
            whatToTryNext: 'AC-001',
          }),
          aTurn(3, { coachDecision: 'approved' }),
        )
        expect(await why(2)).toMatchObject({
          worldSlug: TASK,
          turn: 2,
          playerSummary: 'Rebuilt the parser',
          coachDecision: 'feedback',
          blockingIssues: [{ description: 'the parser drops the last line' }],
          won: [{ criterionId: 'AC-002', evidence: 'seen', basis: 'judged' }],
          lost: [{ criterionId: 'AC-001', evidence: 'test_parse fails', basis: null }],
          verdicts: [
            { criterionId: 'AC-001', status: 'rejected', source: 'coach', evidence: 'test_parse fails' },
            { criterionId: 'AC-002', status: 'verified', source: 'coach', evidence: 'seen' },
          ],
          blockingGates: ['tests'],
          verified: 3,
          total: 3,
          whatToTryNext: 'AC-001',
        })
        const observation = { command: ['npm', 'test'], exitCode: 0, startedAt: '2026-01-02T00:00:00Z' }
        await client().addVerifications({
          ...{ ...target, worldSlug: TASK, turnNumber: 2 },
          verifications: [
            { criterionId: 'AC-002', criterionText: textOf('AC-002'), status: 'verified', observation },
          ],
        })
        const { verdicts, won } = await why(2)
        expect(won).toMatchObject([{ criterionId: 'AC-002', basis: 'observed' }])
        expect(verdicts?.at(-1)).toMatchObject({
          ...{ criterionId: 'AC-002', source: 'command', observedOn: { at: '2026-01-02T00:00:00Z' } },
          addedAt: expect.any(String),
        })
        expect(await client().explainTurn({ ...target, turn: 2, role: 'player' })).not.toHaveProperty(
          'verdicts',
        )
        expect(await why()).toMatchObject({ turn: 3, coachDecision: 'approved', won: [], lost: [] })
        expect(await why(1)).toMatchObject({ turn: 1, lost: [] })
      })

      test('neither a claim of the Player nor an unknown verdict hides a rejection in the status map', async () => {
        const named = (criterionId: string) => ({ criterionId, criterionText: textOf(criterionId) })
        await capture(
          aTurn(1, {
            acceptanceCriteriaStatus: { 'AC-001': 'rejected', 'AC-002': 'rejected' },
            promises: ['AC-001', 'AC-002'].map((id) => ({ ...named(id), status: 'complete' as const })),
            verifications: [{ ...named('AC-001'), status: 'verified', source: 'player' }],
          }),
        )
        await client().addVerifications({
          ...target,
          verifications: [{ criterionId: 'AC-002', status: 'unknown', source: 'gate' }],
        })
        const { rejected } = await why(1)
        expect(rejected.map(({ criterionId }) => criterionId)).toEqual(['AC-001', 'AC-002'])
      })

      test('lists the results of the turn: rejections by kind, unjudged promises, issues and blockers', async () => {
        await capture(
          aTurn(1, judged({ 'AC-001': 'verified', 'AC-002': 'rejected', 'AC-004': 'pending' })),
          aTurn(2, {
            ...promised('AC-001', 'AC-006'),
            ...judged({
              'AC-001': ['rejected', 'CANARY one'],
              'AC-002': ['rejected', 'CANARY two'],
              'AC-003': ['rejected', 'CANARY three'],
              'AC-004': ['rejected', 'CANARY four'],
            }),
            coachDecision: 'feedback',
            issues: [
              { severity: 'advisory', description: 'rename it', suggestion: 'call it lid' },
              {
                severity: 'blocking',
                description: 'it leaks',
                criterionIds: ['AC-2'],
                details: { CANARY: 1 },
              },
            ],
            blockersFound: ['no network'],
            gates: { CANARY: 'failed' },
            whatToTryNext: 'AC-001',
          }),
        )
        const answer = await why(2)
        expect(
          answer.rejected.map(({ criterionId, kind, evidence }) => [criterionId, kind, evidence]),
        ).toEqual([
          ['AC-001', 'lost', 'CANARY one'],
          ['AC-002', 'again', 'CANARY two'],
          ['AC-003', 'new', 'CANARY three'],
          ['AC-004', 'new', 'CANARY four'],
        ])
        expect(answer).toMatchObject({
          promisedNotJudged: [{ criterionId: 'AC-006', text: textOf('AC-006') }],
          issues: [
            { severity: 'blocking', criterionIds: ['AC-002'], givenLabels: ['AC-2'], details: { CANARY: 1 } },
            { severity: 'advisory', suggestion: 'call it lid' },
          ],
          blockersFound: ['no network'],
          gates: { CANARY: 'failed' },
          whatToTryNext: 'AC-001',
        })
        const player = await client().explainTurn({ ...target, turn: 2, role: 'player' })
        expect(JSON.stringify(player)).not.toContain('CANARY')
        expect(player.rejected.map(({ kind }) => kind)).toEqual(['lost', 'again', 'new', 'new'])
      })

      test('a missing turn is an error that names it', async () => {
        await capture(aTurn(1))
        await expect(why(2)).rejects.toMatchObject({
          code: 'not_found',
          message: expect.stringContaining('turn 2'),
        })
        await expect(client().explainTurn({ ...target, taskId: 'nobody' })).rejects.toMatchObject({
          code: 'not_found',
        })
      })
    })
  })
}
