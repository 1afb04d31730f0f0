import { describe, expect, test } from 'vitest'
import { aContext, aTurn, type ContextToLoad, clientOf, type TurnToSend } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

/** A record with exactly the fields of seed 000's TurnStateEntity. */
const seedRecord: TurnToSend = aTurn(2, {
  playerSummary: 'Implemented the JWT middleware',
  playerDecision: 'implemented',
  coachDecision: 'feedback',
  coachFeedback: 'Expired tokens are not handled',
  mode: 'continuing_work',
  blockersFound: ['no clock to inject', 'port 5432 in use'],
  progressSummary: 'half of the paths',
  acceptanceCriteriaStatus: {
    criterion_2: 'rejected',
    criterion_1: 'verified',
    criterion_3: 'pending',
  },
  testsPassed: 17,
  testsFailed: 2,
  coverage: 81.5,
  archScore: 82,
  startedAt: '2026-01-01T00:00:00Z',
  completedAt: '2026-01-01T00:02:00Z',
  durationSeconds: 120,
  lessonsFromTurn: ['inject the clock', 'keep the middleware small'],
  whatToTryNext: 'Expired tokens',
})

/** The output of `load_turn_continuation_context` of seed 000, written by hand. */
const seedText = `## Previous Turn Summary (Turn 2)
**What was attempted**: Implemented the JWT middleware
**Coach decision**: feedback
**Feedback**: Expired tokens are not handled
**Blockers found**: no clock to inject, port 5432 in use
**Lessons learned**: inject the clock; keep the middleware small
**Suggested focus for this turn**: Expired tokens

**Acceptance Criteria Status**:
  ✗ criterion_2: rejected
  ✓ criterion_1: verified
  ○ criterion_3: pending`

type Status = 'verified' | 'rejected' | 'pending' | 'unknown'
const judged = (statuses: Record<string, Status>, evidence?: string): Partial<TurnToSend> => ({
  verifications: Object.entries(statuses).map(([criterionId, status]) => ({
    criterionId,
    criterionText: `The criterion of ${criterionId} holds`,
    status,
    ...(evidence === undefined ? {} : { evidence }),
  })),
})

/** The continuation context of the next turn. */
export function contextContract(store: StoreUnderTest): void {
  describe('continuation context', () => {
    const handles = useGraph(store)
    const capture = (...turns: TurnToSend[]) =>
      turns.reduce(
        async (before, turn) => {
          await before
          await clientOf(handles.graph).captureTurnState(turn)
        },
        Promise.resolve() as Promise<void>,
      )
    const load = (currentTurn: number, more: Partial<ContextToLoad> = {}) =>
      clientOf(handles.graph).loadTurnContinuationContext(aContext(currentTurn, more))
    const statuses = async (currentTurn: number, more: Partial<ContextToLoad> = {}) =>
      Object.fromEntries(
        (await load(currentTurn, { role: 'coach', ...more })).criteria.map((c) => [
          c.criterionId,
          `${c.state}@${c.verifiedInTurn}${c.contested === null ? '' : `!${c.contested.turn}`}`,
        ]),
      )
    const statusLines = async (currentTurn: number, more: Partial<ContextToLoad> = {}) => {
      const text = (await load(currentTurn, more)).context ?? ''
      return text.split('\n').filter((line) => /^ {2}[✓✗○⚠]/.test(line))
    }

    describe('the text', () => {
      test("of a seed-shaped record is the seed's, byte for byte, and the Coach also reads how a criterion is known", async () => {
        await capture(seedRecord)
        expect((await load(3)).context).toBe(seedText)
        const verified = '✓ criterion_1: verified'
        expect((await load(3, { role: 'coach' })).context).toBe(
          `${seedText.replace(verified, `${verified} (turn 2, without evidence)`)}\n\n**Seen by nobody yet**: criterion_1`,
        )
      })

      test('of a task without declarations, and its lists, do not depend on declarations of other tasks or on other projects', async () => {
        const six = ['AC-001', 'AC-002', 'AC-003', 'AC-004', 'AC-005', 'AC-006']
        const session: TurnToSend[] = [1, 2, 3].map((turnNumber) =>
          aTurn(turnNumber, {
            taskId: 'TASK-SIX',
            ...judged(
              Object.fromEntries(six.map((id, i) => [id, i < 6 - turnNumber ? 'verified' : 'rejected'])),
            ),
            promises: turnNumber > 1 ? [] : six.map((criterionId) => ({ criterionId, status: 'complete' })),
            issues: [{ severity: 'blocking', description: 'Not all acceptance criteria met' }],
          }),
        )
        await capture(seedRecord, ...session)
        const client = clientOf(handles.graph)
        const answersFor = async (taskId: string, turn: number) => {
          const task = { featureId: seedRecord.featureId, taskId }
          return [
            await load(turn, { taskId, role: 'player' }),
            await load(turn, { taskId, role: 'coach' }),
            await client.listCriteria(task),
            await client.recoverPromises({ ...task, turn }),
            await client.loadStall(task),
            await client.explainTurn(task),
            await client.listIssues(task),
          ]
        }
        const answers = async () =>
          JSON.stringify([await answersFor(seedRecord.taskId, 3), await answersFor('TASK-SIX', 4)])
        const before = await answers()
        expect(JSON.parse(before)[0][0].context).toBe(seedText)
        expect(JSON.parse(before)[1][3].message).toBe(
          'No completion_promises in current turn — recovered from player_turn_1.json (6 promises)',
        )
        expect(before.match(/"(declared|judged|stale|manual|elsewhere|\w+Version)":(?!\d+,)/g)).toBeNull()
        const elsewhere = [...session, seedRecord].map((turn) => ({ ...turn, project: 'another' }))
        await capture(...elsewhere, ...session.map((turn) => ({ ...turn, taskId: 'TASK-OTHER' })))
        const criteria = six.map((id) => ({ text: `The criterion of ${id} holds` }))
        for (const { project, taskId } of [
          { project: 'another', taskId: 'TASK-SIX' },
          { project: null, taskId: 'TASK-OTHER' },
        ])
          await client.declareCriteria({ project, featureId: seedRecord.featureId, taskId, criteria })
        expect(await answers()).toBe(before)
      })

      test('a field without content has no line', async () => {
        await capture({ ...aTurn(1), playerSummary: 'Tried', coachDecision: 'approved' })
        expect((await load(2)).context).toBe(
          '## Previous Turn Summary (Turn 1)\n**What was attempted**: Tried\n**Coach decision**: approved',
        )
      })

      test('the accumulated status, as the contract shows it', async () => {
        await capture(
          aTurn(1, { acceptanceCriteriaStatus: { 'AC-001': 'verified', 'AC-002': 'verified' } }),
          aTurn(2, {
            playerSummary: 'Rebuilt the template with placeholders',
            coachFeedback: 'Not all acceptance criteria met',
            blockersFound: ['port in use', 'no network'],
            lessonsFromTurn: ['run ruff first', 'keep the template minimal'],
            whatToTryNext: 'AC-006',
            acceptanceCriteriaStatus: { 'AC-002': 'rejected', 'AC-003': 'rejected', 'AC-004': 'pending' },
          }),
        )
        expect((await load(3)).context).toBe(`## Previous Turn Summary (Turn 2)
**What was attempted**: Rebuilt the template with placeholders
**Coach decision**: feedback
**Feedback**: Not all acceptance criteria met
**Blockers found**: port in use, no network
**Lessons learned**: run ruff first; keep the template minimal
**Suggested focus for this turn**: AC-006

**Acceptance Criteria Status**:
  ✓ AC-001: verified (turn 1)
  ⚠ AC-002: verified (turn 1, contested in turn 2)
  ✗ AC-003: rejected
  ○ AC-004: pending

**Tried before**:
  Turn 1: Attempt 1

**Progress**: 2 of 4 criteria verified after turn 2, 1 contested in turn 2`)
      })

      test('the parenthesis appears only if the prior turn itself did not judge the criterion', async () => {
        await capture(
          aTurn(
            1,
            judged({
              'AC-001': 'verified',
              'AC-002': 'verified',
              'AC-003': 'verified',
              'AC-004': 'rejected',
            }),
          ),
          aTurn(2, judged({ 'AC-001': 'verified', 'AC-002': 'unknown', 'AC-004': 'verified' })),
        )
        expect(await statusLines(3)).toEqual([
          '  ✓ AC-001: verified',
          '  ✓ AC-002: verified (turn 1)',
          '  ✓ AC-003: verified (turn 1)',
          '  ✓ AC-004: verified',
        ])
        expect(await statusLines(2)).toEqual([
          '  ✓ AC-001: verified',
          '  ✓ AC-002: verified',
          '  ✓ AC-003: verified',
          '  ✗ AC-004: rejected — The criterion of AC-004 holds',
        ])
      })

      test('a rejection of the prior turn is shown, even if that turn also verified the criterion', async () => {
        const said = (status: Status, source: 'coach' | 'gate') => ({ criterionId: 'AC-001', status, source })
        const criterionText = 'It answers with 404'
        await capture(
          aTurn(1, {
            verifications: [
              { ...said('verified', 'coach'), criterionText },
              { ...said('rejected', 'gate'), criterionText },
            ],
          }),
        )
        expect(await statusLines(2)).toEqual([
          '  ⚠ AC-001: verified (turn 1, contested in turn 1) — It answers with 404',
        ])
      })

      test('issues come most severe first, then in the order of the Coach', async () => {
        await capture(
          aTurn(1, {
            issues: [
              { severity: 'nit', description: 'n1' },
              { severity: 'minor', description: 's1' },
              { severity: 'critical', description: 'b1' },
              { severity: 'must_fix', description: 'b2' },
              { severity: 'warning', description: 's2' },
            ],
          }),
        )
        const { context, issues } = await load(2)
        expect(context).toMatch(
          /\n\n\*\*Open issues\*\* \(most severe first\):\n {2}- \[blocking\] b1\n {2}- \[blocking\] b2\n {2}- \[should_fix\] s1\n {2}- \[should_fix\] s2\n {2}- \[advisory\] n1$/,
        )
        expect(issues.map(({ description }) => description)).toEqual(['b1', 'b2', 's1', 's2', 'n1'])
      })

      test('a contested criterion is marked ⚠, with the reason only for the Coach', async () => {
        await capture(
          aTurn(1, judged({ 'AC-001': 'verified', 'AC-002': 'verified' })),
          aTurn(2, judged({ 'AC-002': 'rejected' }, 'the hinge\nbroke')),
        )
        expect(await statusLines(3, { role: 'coach' })).toEqual([
          '  ✓ AC-001: verified (turn 1, without evidence)',
          '  ⚠ AC-002: verified (turn 1, without evidence, contested in turn 2: the hinge broke) — The criterion of AC-002 holds',
        ])
        expect(await statusLines(3)).toEqual([
          '  ✓ AC-001: verified (turn 1)',
          '  ⚠ AC-002: verified (turn 1, contested in turn 2) — The criterion of AC-002 holds',
        ])
        expect(JSON.stringify(await load(3))).not.toContain('broke')
      })

      test('empty evidence is not rendered, and does not hide earlier evidence', async () => {
        const first = { criterionId: 'AC-001', criterionText: 'It answers to any client' }
        const second = { criterionId: 'AC-002', criterionText: 'It keeps the order of rows' }
        const verify = (evidence: string) => [{ ...first, status: 'verified' as const, evidence }]
        await capture(
          aTurn(1, {
            promises: [{ ...second, status: 'complete', evidence: '' }],
            verifications: verify('I ran the suite'),
          }),
          aTurn(2, { verifications: verify(' ') }),
          aTurn(3, {
            verifications: [
              { ...first, status: 'rejected', source: 'gate', evidence: 'It hangs' },
              { ...first, status: 'rejected', evidence: '' },
            ],
          }),
          aTurn(4, { verifications: [{ ...first, status: 'rejected', evidence: '' }] }),
        )
        const at = async (turn: number) => (await load(turn, { role: 'coach' })).context
        expect(await at(3)).toContain(
          '  ✓ AC-001: verified (turn 1, without evidence)\n      I ran the suite\n',
        )
        expect(await at(4)).toContain('verified (turn 1, without evidence, contested in turn 3: It hangs)')
        expect(await at(5)).toContain('verified (turn 1, without evidence, contested in turn 4) — ')
        expect(await at(5)).toContain('**Promises recovered from turn 1**: 1\n  - AC-002: complete\n')
      })

      test("a claim of the Player does not replace the Coach's proof", async () => {
        const known = { criterionId: 'AC-001', criterionText: 'It answers' }
        await capture(
          aTurn(1, { verifications: [{ ...known, status: 'verified', evidence: 'I ran the suite' }] }),
          aTurn(2, {
            verifications: [{ ...known, status: 'verified', source: 'player', evidence: 'Trust me' }],
          }),
        )
        const { context } = await load(3, { role: 'coach' })
        expect(context).toContain('I ran the suite')
        expect(context).not.toContain('Trust me')
      })

      test('equal issues of one turn are shown once with their number, and use the budget once', async () => {
        const description = `The same complaint, at length: ${'it is not met at all, '.repeat(20)}`
        const same = { severity: 'blocking', category: 'requirements', description }
        await capture(aTurn(1, { issues: [...Array(7).fill(same), { ...same, description: 'Another' }] }))
        const { context, omitted, issues, tokens } = await load(2)
        expect(context).toContain(`  - [blocking] ${description} ×7\n  - [blocking] Another`)
        expect(context?.split('The same complaint')).toHaveLength(2)
        expect(issues).toHaveLength(8)
        expect(omitted).toEqual([])
        expect((await load(2, { tokenBudget: tokens.used })).context).toBe(context)
      })

      test('an issue is followed by its suggestion, unless that is already the suggested focus', async () => {
        const issue = (description: string, suggestion: string) => ({
          severity: 'should_fix',
          description,
          suggestion,
        })
        await capture(
          aTurn(1, {
            whatToTryNext: 'Inject the clock',
            issues: [issue('It waits', 'Inject the clock'), issue('It is slow', 'Cache\nthe answer')],
          }),
        )
        expect((await load(2)).context).toContain(
          '  - [should_fix] It waits\n  - [should_fix] It is slow\n      Suggestion: Cache the answer',
        )
      })

      test('the progress lists promises that were never judged', async () => {
        const promise = (criterionId: string, criterionText: string) =>
          ({ criterionId, criterionText, status: 'complete' }) as const
        await capture(
          aTurn(1, {
            ...judged({ 'AC-001': 'verified' }),
            promises: [promise('AC-001', 'The criterion of AC-001 holds'), promise('AC-009', 'It is cheap')],
          }),
        )
        for (const role of ['player', 'coach'] as const) {
          const { context, criteria, promisedNotJudged } = await load(2, { role })
          expect(context).toContain(
            '**Progress**: 1 of 1 criteria verified after turn 1; 1 promised, never judged: "It is cheap"',
          )
          expect(criteria).toHaveLength(1)
          expect(promisedNotJudged).toMatchObject([{ criterionId: 'AC-009', text: 'It is cheap' }])
        }
        await capture(
          aTurn(2, {
            verifications: [{ criterionId: 'AC-009', criterionText: 'It is cheap', status: 'verified' }],
          }),
        )
        expect((await load(3)).context).toMatch(/\*\*Progress\*\*: 2 of 2 criteria verified after turn 2$/)
      })

      test('after a turn that ended in an error the context shows the last judged turn, and mentions this', async () => {
        const issue = {
          severity: 'blocking',
          description: 'It leaks',
          suggestion: 'Seal it',
          criterionIds: ['AC-2'],
        }
        await capture(
          aTurn(1, {
            coachFeedback: 'Close the lid',
            whatToTryNext: 'the lid',
            issues: [{ ...issue, details: { CANARY: 1 } }],
          }),
          aTurn(2, { coachDecision: 'error', coachFeedback: 'The Coach failed' }),
          aTurn(3, { coachDecision: 'error' }),
        )
        const text = `## Previous Turn Summary (Turn 3)
**What was attempted**: Attempt 3
**Coach decision**: error
**Feedback** (from turn 1; turn 3 ended in an error): Close the lid
**Suggested focus for this turn** (from turn 1; turn 3 ended in an error): the lid

**Open issues** (from turn 1; turn 3 ended in an error; most severe first):
  - [blocking] It leaks
      Suggestion: Seal it

**Tried before**:
  Turn 2: Attempt 2
  Turn 1: Attempt 1`
        const player = await load(4)
        expect(player.context).toBe(text)
        expect(player).toMatchObject({
          lastJudged: { turn: 1, coachFeedback: 'Close the lid' },
          issues: [{ turn: 1 }],
        })
        expect(JSON.stringify(player)).not.toContain('CANARY')
        const coach = await load(4, { role: 'coach' })
        expect(coach.context).toBe(text)
        expect(coach.issues).toMatchObject([{ details: { CANARY: 1 } }])
        const reset = await load(4, { perspectiveReset: true })
        expect(JSON.stringify(reset)).not.toMatch(/Close the lid|It leaks|the lid/)
        await capture(aTurn(4, { coachFeedback: 'Better' }), aTurn(5, { coachDecision: 'error' }))
        expect((await load(6)).context).toContain(
          '**Feedback** (from turn 4; turn 5 ended in an error): Better',
        )
        expect((await load(6)).issues).toEqual([])
        expect((await load(4)).context, 'as of then').toBe(text)
        expect((await load(5)).lastJudged).toBeNull()
      })

      test.each([
        ['deferred', 'was deferred'],
        ['unknown', 'has no decision that is known'],
      ] as const)(
        'a turn that is "%s" judges nothing either: the context holds what was open before it',
        async (coachDecision, ended) => {
          await capture(
            aTurn(1, {
              coachFeedback: 'Close the lid',
              issues: [{ severity: 'blocking', description: 'It leaks' }],
            }),
            aTurn(2, { coachDecision }),
          )
          const text = `**Feedback** (from turn 1; turn 2 ${ended}): Close the lid

**Open issues** (from turn 1; turn 2 ${ended}; most severe first):
  - [blocking] It leaks`
          expect((await load(3)).context).toContain(text)
          await capture(aTurn(3))
          expect((await load(4)).issues, 'a judged turn did not raise it').toEqual([])
          expect((await load(3)).context, 'as of then').toContain(text)
        },
      )

      test('a criterion has one label in one answer, and also the label that was given', async () => {
        const text = 'The answer to an unknown path is 404'
        await capture(
          aTurn(1, { promises: [{ criterionId: 'AC-7', criterionText: text, status: 'complete' }] }),
          aTurn(2, {
            verifications: [
              { criterionId: 'AC-03', criterionText: `${text}, whatever the method`, status: 'rejected' },
            ],
            issues: [{ severity: 'blocking', description: 'It answers 500', criterionIds: ['AC-3'] }],
          }),
        )
        const answer = await load(3, { role: 'coach' })
        const shown = answer.criteria.map(({ criterionId, text }) => ({ criterionId, text }))
        expect(shown).toEqual([{ criterionId: 'AC-03', text: `${text}, whatever the method` }])
        expect(answer.promises?.items).toMatchObject([
          { criterionId: 'AC-03', criterionText: shown[0]?.text, label: 'AC-7', givenLabel: 'AC-7' },
        ])
        expect(answer.issues).toMatchObject([{ criterionIds: ['AC-03'], givenLabels: ['AC-3'] }])
        expect(answer.context).toContain('**Promises recovered from turn 1**: 1\n  - AC-03: complete')
        expect(answer.context).not.toMatch(/AC-0*7/)
      })

      test('perspective_reset leaves all prior feedback and issues out', async () => {
        await capture(
          aTurn(1, {
            coachFeedback: 'CANARY-feedback',
            issues: [{ severity: 'must_fix', description: 'CANARY-issue' }],
            whatToTryNext: 'CANARY-suggestion',
            ...judged({ 'AC-001': 'verified' }),
          }),
        )
        for (const role of ['player', 'coach'] as const) {
          expect(JSON.stringify(await load(2, { role }))).toMatch(/CANARY-feedback.*CANARY-issue/)
          const reset = await load(2, { role, perspectiveReset: true })
          expect(JSON.stringify(reset)).not.toContain('CANARY')
          expect(reset.context).toContain('✓ AC-001: verified')
          expect(reset.issues).toEqual([])
        }
      })
    })

    describe('the earlier turns', () => {
      test('are below "Tried before", newest first, at most 5, whatever gaps their numbers have', async () => {
        await capture(...[1, 2, 4, 5, 9, 10, 12].map((turn) => aTurn(turn)))
        for (const role of ['player', 'coach'] as const) {
          const { context, triedBefore } = await load(13, { role })
          expect(triedBefore).toEqual(
            [10, 9, 5, 4, 2].map((turnNumber) => ({ turnNumber, text: `Attempt ${turnNumber}` })),
          )
          expect(context).toContain(
            '\n\n**Tried before**:\n  Turn 10: Attempt 10\n  Turn 9: Attempt 9\n  Turn 5: Attempt 5\n  Turn 4: Attempt 4\n  Turn 2: Attempt 2',
          )
          const known = [5, 4, 2, 1].map((turnNumber) => ({ turnNumber, text: `Attempt ${turnNumber}` }))
          expect((await load(10, { role })).triedBefore).toEqual(known)
          expect((await load(10, { role, asOf: 'turn' })).triedBefore).toEqual(known)
        }
      })

      test('have no line if none is older than the prior turn, or if a summary does not describe the work', async () => {
        await capture(aTurn(1, { playerSummary: 'Implementation attempt' }))
        expect(await load(2)).toMatchObject({ triedBefore: [] })
        await capture(aTurn(2))
        const { context, triedBefore } = await load(3)
        expect(triedBefore).toEqual([])
        expect(context).not.toContain('Tried before')
      })

      test('are shown by the newest record of each, also of a turn that was captured late', async () => {
        await capture(
          aTurn(1),
          aTurn(3),
          aTurn(4),
          aTurn(2, { playerSummary: 'Came late' }),
          aTurn(1, { playerSummary: 'Corrected', onConflict: 'supersede' }),
        )
        expect((await load(5)).triedBefore.map(({ text }) => text)).toEqual([
          'Attempt 3',
          'Came late',
          'Corrected',
        ])
      })
    })

    describe('the choice of the prior turn', () => {
      test('turn 1 and numbers below it have no prior turn', async () => {
        await capture(aTurn(1))
        for (const currentTurn of [1, 0, -3]) {
          const nothing = {
            status: 'first_turn',
            context: null,
            prior: null,
            previousTurn: null,
            criteria: [],
          }
          expect(await load(currentTurn)).toMatchObject(nothing)
        }
      })

      test('an unknown project, feature or task has no prior turn', async () => {
        await capture(aTurn(1))
        const strangers = [{ project: 'nobody' }, { featureId: 'nobody' }, { taskId: 'nobody' }]
        for (const stranger of strangers) {
          expect(await load(2, stranger)).toMatchObject({
            status: 'no_prior_turn',
            context: null,
            prior: null,
          })
        }
      })

      test('a world with only later turns has no prior turn', async () => {
        await capture(aTurn(5, judged({ 'AC-001': 'verified' })))
        expect(await load(5)).toMatchObject({
          status: 'no_prior_turn',
          context: null,
          criteria: [],
          gap: false,
        })
      })

      test('a missing named world is unknown_world', async () => {
        await capture(aTurn(1))
        const unknown = { code: 'unknown_world', status: 404 }
        await expect(load(2, { worldSlug: 'nowhere' })).rejects.toMatchObject(unknown)
        await expect(load(1, { worldSlug: 'nowhere' })).rejects.toMatchObject(unknown)
      })

      test('the prior turn is the greatest number below the current one, and a gap is mentioned', async () => {
        await capture(aTurn(1), aTurn(2), aTurn(6))
        expect(await load(3)).toMatchObject({ previousTurn: 2, gap: false, prior: { turnNumber: 2 } })
        expect(await load(6)).toMatchObject({ previousTurn: 2, gap: true })
        expect(await load(7)).toMatchObject({ previousTurn: 6, gap: false })
        expect(await load(1_000_001)).toMatchObject({ previousTurn: 6, gap: true })
      })

      test('each of two worlds has its own', async () => {
        await capture(
          aTurn(1, { worldSlug: 'w1', playerSummary: 'in w1', ...judged({ 'AC-001': 'verified' }) }),
          aTurn(1, { worldSlug: 'w2', playerSummary: 'in w2', ...judged({ 'AC-001': 'rejected' }) }),
        )
        expect(await load(2, { worldSlug: 'w1' })).toMatchObject({ prior: { playerSummary: 'in w1' } })
        expect(await load(2, { worldSlug: 'w2' })).toMatchObject({ prior: { playerSummary: 'in w2' } })
        expect(await statuses(2, { worldSlug: 'w1' })).toEqual({ 'AC-001': 'verified@1' })
        expect(await statuses(2, { worldSlug: 'w2' })).toEqual({ 'AC-001': 'rejected@null' })
      })
    })

    describe('guarantee: a Player sees nothing that a judge keeps to itself', () => {
      const canary = aTurn(1, {
        extra: { secret: 'CANARY-extra' },
        usage: { coach: { outputTokens: 1 } },
        gates: { 'CANARY-gate': 'failed' },
        acceptanceCriteriaStatus: { 'AC-003': 'rejected' },
        verifications: [
          { criterionId: 'AC-001', criterionText: 'One', status: 'verified', evidence: 'CANARY-verified' },
          {
            criterionId: 'AC-002',
            criterionText: 'Two',
            status: 'rejected',
            source: 'validator',
            evidence: 'CANARY-rejected',
          },
        ],
        issues: [{ severity: 'must_fix', description: 'an issue', details: { deep: ['CANARY-details'] } }],
      })
      const contest = aTurn(2, {
        gates: { 'CANARY-gate-2': 'passed' },
        verifications: [{ criterionId: 'AC-001', status: 'rejected', evidence: 'CANARY-contested' }],
      })

      test.each(['sticky', 'evidence', 'latest'] as const)(
        'a Player sees nothing of the judgement (%s)',
        async (policy) => {
          await capture(canary, contest)
          for (const turn of [2, 3, 9]) {
            const shown = await load(turn, { role: 'player', policy })
            expect(JSON.stringify(shown)).not.toContain('CANARY')
            const { prior, criteria, issues } = shown
            for (const hidden of ['verifications', 'gates', 'usage', 'extra'])
              expect(prior).not.toHaveProperty(hidden)
            for (const issue of [...issues, ...(prior?.issues ?? [])])
              expect(issue).not.toHaveProperty('details')
            for (const criterion of criteria) {
              expect(criterion).not.toHaveProperty('history')
              expect(Object.keys(criterion.contested ?? { turn: 2 })).toEqual(['turn'])
            }
          }
        },
      )

      test('a Coach sees all of it', async () => {
        await capture(canary, contest)
        const first = await load(2, { role: 'coach' })
        const text = JSON.stringify(first)
        for (const what of ['extra', 'gate', 'verified', 'rejected', 'details'])
          expect(text).toContain(`CANARY-${what}`)
        expect(first.criteria[0]?.history).toEqual([
          { turn: 1, status: 'verified', source: 'coach', evidence: 'CANARY-verified' },
        ])
        const second = await load(3, { role: 'coach' })
        expect(second.criteria[0]).toMatchObject({ contested: { turn: 2, reason: 'CANARY-contested' } })
      })

      test('a Coach reads the proof or the reason under each judged criterion, and the gates that failed', async () => {
        await capture(canary)
        const { context } = await load(2, { role: 'coach' })
        expect(context).toMatch(/ {2}✓ AC-001: verified\n +CANARY-verified\n/)
        expect(context).toMatch(/ {2}✗ AC-002: rejected — Two\n {6}CANARY-rejected/)
        expect(context).toContain('\n**Failed gates**: CANARY-gate\n')
      })

      test('the newest twenty verdicts of a history are shown, with the number of omitted ones', async () => {
        for (let n = 1; n <= 23; n++)
          await capture(aTurn(n, judged({ 'AC-001': n % 2 === 0 ? 'verified' : 'rejected' })))
        const { criteria } = await load(24, { role: 'coach' })
        expect(criteria[0]).toMatchObject({ historyOmitted: 3 })
        expect(criteria[0]?.history?.map(({ turn }) => turn)).toEqual(
          Array.from({ length: 20 }, (_, i) => i + 4),
        )
      })
    })

    describe('part of a commit', () => {
      test.each([
        ['the prior turn', 2],
        ['an earlier one, whose evidence a Coach reads', 1],
      ])('%s lacks a verification: no answer', async (_which, turn) => {
        await capture(aTurn(1, judged({ 'AC-001': 'verified' })), aTurn(2, judged({ 'AC-001': 'verified' })))
        const damage = {
          name: 'test/damage',
          text: 'MATCH (t:Turn {number: $turn}) SET t.verificationCount = 2 RETURN t.key AS key',
          params: ['turn'],
        }
        expect(await handles.graph.write([{ statement: damage, params: { turn } }])).not.toBeNull()
        await expect(load(3, { role: 'coach' })).rejects.toMatchObject({ code: 'store_unavailable' })
      })
    })

    describe('sticky', () => {
      test('verified stays verified, absent evidence changes nothing', async () => {
        await capture(
          aTurn(1, judged({ 'AC-001': 'verified', 'AC-002': 'verified' })),
          aTurn(2, judged({ 'AC-001': 'unknown', 'AC-002': 'pending' })),
          aTurn(3),
        )
        for (const turn of [2, 3, 4]) {
          expect(await statuses(turn)).toEqual({ 'AC-001': 'verified@1', 'AC-002': 'verified@1' })
        }
      })

      test('a later rejection contests, a later verification clears it', async () => {
        await capture(
          aTurn(1, judged({ 'AC-001': 'verified' })),
          aTurn(2, judged({ 'AC-001': 'rejected' })),
          aTurn(3),
          aTurn(4, judged({ 'AC-001': 'verified' })),
        )
        expect(await statuses(2)).toEqual({ 'AC-001': 'verified@1' })
        expect(await statuses(3)).toEqual({ 'AC-001': 'verified@1!2' })
        expect(await statuses(4)).toEqual({ 'AC-001': 'verified@1!2' })
        expect(await statuses(5)).toEqual({ 'AC-001': 'verified@1' })
      })

      test("a Player's claim changes no state", async () => {
        const claim = (status: Status): Partial<TurnToSend> => ({
          verifications: [
            {
              criterionId: 'AC-001',
              criterionText: 'The criterion of AC-001 holds',
              status,
              source: 'player',
            },
          ],
        })
        await capture(aTurn(1, judged({ 'AC-001': 'rejected' })), aTurn(2, claim('verified')))
        expect(await statuses(3)).toEqual({ 'AC-001': 'rejected@null' })
        await capture(aTurn(3, judged({ 'AC-001': 'verified' })), aTurn(4, claim('rejected')))
        expect(await statuses(5)).toEqual({ 'AC-001': 'verified@3' })
      })

      test('an entry of the status map is ignored if the full form names the criterion', async () => {
        await capture(
          aTurn(1, {
            acceptanceCriteriaStatus: { 'AC-001': 'rejected', 'AC-002': 'rejected' },
            verifications: [{ criterionId: 'AC-001', status: 'verified' }],
          }),
        )
        expect(await statuses(2)).toEqual({ 'AC-001': 'verified@1', 'AC-002': 'rejected@null' })
      })

      test('a criterion counts once a judge has named it; before, the promised ones do, as pending', async () => {
        const promises = ['AC-001', 'AC-002'].map((criterionId) => ({
          criterionId,
          criterionText: `The criterion of ${criterionId} holds`,
          status: 'complete' as const,
        }))
        await capture(aTurn(1, { promises }), aTurn(2, judged({ 'AC-002': 'rejected' })))
        expect(await statuses(2)).toEqual({ 'AC-001': 'pending@null', 'AC-002': 'pending@null' })
        expect(await statuses(3)).toEqual({ 'AC-002': 'rejected@null' })
      })
    })

    describe('the other policies', () => {
      test('evidence: only a rejection with its own evidence revokes a verification', async () => {
        await capture(
          aTurn(1, judged({ 'AC-001': 'verified', 'AC-002': 'verified', 'AC-003': 'verified' })),
          aTurn(2, judged({ 'AC-001': 'rejected' })),
          aTurn(3, judged({ 'AC-002': 'rejected' }, 'Promise status: incomplete')),
          aTurn(4, judged({ 'AC-003': 'rejected' }, 'test_3 fails')),
        )
        expect(await statuses(5, { policy: 'evidence' })).toEqual({
          'AC-001': 'verified@1!2',
          'AC-002': 'verified@1!3',
          'AC-003': 'rejected@null',
        })
        expect(await statuses(5)).toEqual({
          'AC-001': 'verified@1!2',
          'AC-002': 'verified@1!3',
          'AC-003': 'verified@1!4',
        })
        const player = await load(5, { policy: 'evidence', role: 'player' })
        expect(player.criteria.map(({ state }) => state)).toEqual(['verified', 'verified', 'rejected'])
      })

      test('latest: the last entry except unknown counts', async () => {
        await capture(
          aTurn(
            1,
            judged({
              'AC-001': 'verified',
              'AC-002': 'verified',
              'AC-003': 'rejected',
              'AC-004': 'rejected',
            }),
          ),
          aTurn(
            2,
            judged({ 'AC-001': 'unknown', 'AC-002': 'rejected', 'AC-003': 'verified', 'AC-004': 'pending' }),
          ),
        )
        expect(await statuses(3, { policy: 'latest' })).toEqual({
          'AC-001': 'verified@1',
          'AC-002': 'rejected@null',
          'AC-003': 'verified@2',
          'AC-004': 'pending@null',
        })
      })
    })

    test('criteria are in the natural order of their labels, then those known only by a label', async () => {
      await capture(
        aTurn(1, {
          acceptanceCriteriaStatus: { zeta: 'pending', alpha: 'verified' },
          ...judged({ 'AC-10': 'pending', 'AC-2': 'pending', 'AC-LOAD-01': 'pending', 'AC-1': 'verified' }),
        }),
      )
      const { criteria } = await load(2)
      expect(criteria.map(({ criterionId }) => criterionId)).toEqual([
        'AC-1',
        'AC-2',
        'AC-10',
        'AC-LOAD-01',
        'zeta',
        'alpha',
      ])
    })
  })
}
