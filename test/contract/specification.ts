import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { dumpOf } from '../support/graph-dump.ts'
import { aTurn, clientOf, FEATURE, PROJECT, TASK, type TurnToSend } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const RETRY = 'An unknown host is retried three times'
const SUITE = 'The whole suite passes on two cores'
const DOCS = 'The how-to reads well to a newcomer'
const LOG = 'No request is logged twice by any handler'

const task = { project: PROJECT, featureId: FEATURE, taskId: TASK }
const declared = (...texts: string[]) => ({ ...task, criteria: texts.map((text) => ({ text })) })

type Entry = NonNullable<TurnToSend['verifications']>[number]
const verified = (criterionId: string, more: Partial<Entry> = {}): Entry => ({
  criterionId,
  status: 'verified',
  evidence: 'seen',
  ...more,
})
const judged = (turnNumber: number, ...verifications: Entry[]) => aTurn(turnNumber, { verifications })

/** The criteria that a task declares (contract: specification.md). */
export function specificationContract(store: StoreUnderTest): void {
  describe('a specification', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const forgetAll = async (scope: Parameters<ReturnType<typeof client>['forget']>[0]) => {
      while (!(await client().forget({ project: PROJECT, ...scope, dryRun: false })).done);
    }
    const states = async (more: { turn?: number; policy?: 'fresh' | 'sticky' } = {}) =>
      (await client().listCriteria({ ...task, ...more })).criteria.map(
        ({ criterionId, state, declared }) => `${criterionId} ${state} ${declared}`,
      )

    test('the same list is the same version, a different list is the next one, and earlier versions stay', async () => {
      const first = await client().declareCriteria(declared(RETRY, SUITE))
      expect(first).toMatchObject({ version: 1, created: true, total: 2 })
      expect(first.criteria.map(({ criterionId }) => criterionId)).toEqual(['AC-001', 'AC-002'])
      expect(await client().declareCriteria(declared(RETRY, SUITE))).toMatchObject({
        version: 1,
        created: false,
      })
      expect(await client().declareCriteria(declared(SUITE, RETRY))).toMatchObject({
        version: 2,
        created: true,
      })
      const { created, ...stored } = first
      expect(await client().getSpecification({ ...task, version: 1 })).toEqual(stored)
      expect((await client().getSpecification(task)).criteria.map(({ text }) => text)).toEqual([SUITE, RETRY])
    })

    test('ten parallel declarations of one list are one version, and those of ten lists are ten', async () => {
      const same = await Promise.all(
        Array.from({ length: 10 }, () => client().declareCriteria(declared(RETRY))),
      )
      expect(same.map(({ version }) => version)).toEqual(Array.from({ length: 10 }, () => 1))
      expect(same.filter(({ created }) => created)).toHaveLength(1)
      const others = await Promise.all(
        Array.from({ length: 10 }, (_, i) => client().declareCriteria(declared(RETRY, `${LOG} number ${i}`))),
      )
      expect(others.map(({ version }) => version).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 10 }, (_, i) => i + 2),
      )
    })

    test('a text in a format is read as `turngraph specify` reads it, and of several tasks the named one is declared', async () => {
      const text = '# Acceptance criteria\n- AC-7: one\n- one\n\n# Success criteria\n- two\n'
      const asked = { ...task, format: 'markdown' as const, text }
      expect(await client().declareCriteria(asked)).toMatchObject({
        total: 1,
        criteria: [{ criterionId: 'AC-7', text: 'one' }],
        warnings: [
          'line 3: an item repeats the text in line 2; it is read once',
          'line 5: "Success criteria" is not read: it has 1 item',
        ],
      })
      const issues = ['TASK-9', task.taskId].map((id) =>
        JSON.stringify({ id, acceptance_criteria: `- of ${id}` }),
      )
      const beads = { ...task, format: 'beads' as const, text: issues.join('\n') }
      expect(await client().declareCriteria(beads)).toMatchObject({
        version: 2,
        criteria: [{ text: `of ${task.taskId}` }],
      })
      const other = client().declareCriteria({ ...beads, taskId: 'TASK-8' })
      await expect(other).rejects.toThrow('text: states 2 tasks, and not TASK-8.')
      const none = client().declareCriteria({ ...asked, text: '# Goal' })
      await expect(none).rejects.toThrow('text: states no criteria')
      const both = { ...asked, criteria: [{ text: 'one' }] }
      for (const wrong of [{}, { format: 'markdown' as const }, { text }, both])
        await expect(client().declareCriteria({ ...task, ...wrong })).rejects.toMatchObject({
          code: 'invalid_request',
        })
    })

    test('equal ids, equal texts, an empty text, an empty list and one of more than 2,000 are rejected, each with its path', async () => {
      const refusal = (criteria: object[]) =>
        client()
          .declareCriteria({ ...task, criteria: criteria as [] })
          .then(
            () => 'taken',
            ({ code, details }) =>
              `${code} ${details.problems.map((p: { path: string }) => p.path).join(' ')}`,
          )
      const many = Array.from({ length: 2_001 }, (_, i) => ({ text: `Case ${i} is served` }))
      expect(await refusal(many)).toBe('invalid_request criteria')
      expect(await client().declareCriteria({ ...task, criteria: many.slice(1) })).toMatchObject({
        total: 2_000,
      })
      expect(
        await refusal([
          { criterionId: 'AC-1', text: RETRY },
          { criterionId: 'AC-001', text: SUITE },
        ]),
      ).toBe('invalid_request criteria[1].criterionId')
      expect(await refusal([{ text: RETRY }, { text: `**${RETRY}**.` }])).toBe(
        'invalid_request criteria[1].text',
      )
      expect(await refusal([{ text: RETRY }, { criterionId: 'AC-001', text: SUITE }])).toBe(
        'invalid_request criteria[1].criterionId',
      )
      await expect(client().declareCriteria(declared(RETRY, LOG, `- ${LOG}`))).rejects.toThrow(
        `criteria[2].text: has the words of criterion 2 in the list: "- ${LOG}"`,
      )
      expect(await refusal([{ text: RETRY, criterionId: ' ' }])).toBe(
        'invalid_request criteria[0].criterionId',
      )
      expect(await refusal([])).toBe('invalid_request criteria')
      expect(await refusal([{ text: ' — ' }])).toBe('invalid_request criteria[0].text')
    })

    test('the names of tests are part of the list, are returned, and are read from a scenario', async () => {
      const tests = ['retry > * hosts', 'An unknown host']
      const first = await client().declareCriteria({
        ...task,
        criteria: [{ text: RETRY, tests }, { text: SUITE }],
      })
      expect(first.criteria.map(({ tests: names }) => names)).toEqual([tests, undefined])
      expect((await client().getSpecification(task)).criteria[0]).toMatchObject({ tests })
      const again = [
        { text: RETRY, tests },
        { text: SUITE, tests: [] },
      ]
      expect(await client().declareCriteria({ ...task, criteria: again })).toMatchObject({
        version: 1,
        created: false,
      })
      const other = [{ text: RETRY, tests: tests.slice(1) }, { text: SUITE }]
      expect(await client().declareCriteria({ ...task, criteria: other })).toMatchObject({
        version: 2,
        criteria: [{ tests: ['An unknown host'] }, {}],
      })
      const text =
        'Feature: Retry\n  Scenario Outline: <n> hosts\n    Then <n> are retried\n    Examples:\n      | n |\n      | 2 |\n'
      expect(await client().declareCriteria({ ...task, format: 'gherkin', text })).toMatchObject({
        criteria: [{ tests: ['* hosts'] }],
      })
      for (const wrong of [[''], ['x'.repeat(1_001)], Array.from({ length: 101 }, (_, i) => `t${i}`)])
        await expect(
          client().declareCriteria({ ...task, criteria: [{ text: RETRY, tests: wrong }] }),
        ).rejects.toMatchObject({ code: 'invalid_request' })
    })

    test('is stored as a version of its task with relationships to its criteria in order', async () => {
      const source = { path: 'tasks/TASK-1.md', commit: 'abc' }
      await client().declareCriteria({ ...declared(RETRY), source })
      await client().declareCriteria({
        ...task,
        criteria: [
          { criterionId: 'AC-7', text: SUITE, kind: 'command' },
          { text: RETRY, kind: 'manual' },
        ],
      })
      const { rows } = await client().queryGraph({
        query: `MATCH (t:Task)-[:SPECIFIED_BY]->(s:Specification)-[l:LISTS]->(c:Criterion)
          RETURN t.id, s.version, s.path, s.commit, size(s.digest), s.declaredAt IS NOT NULL, l.position, l.label, l.kind, c.texts
          ORDER BY s.version, l.position`,
      })
      expect(rows).toEqual([
        [TASK, 1, source.path, source.commit, 64, true, 0, 'AC-001', 'code', [RETRY]],
        [TASK, 2, null, null, 64, true, 0, 'AC-7', 'command', [SUITE]],
        [TASK, 2, null, null, 64, true, 1, 'AC-002', 'manual', [RETRY]],
      ])
    })

    test('the command of a criterion is stored as a list of arguments, and a list without commands stays its version', async () => {
      await client().declareCriteria(declared(RETRY, SUITE))
      const criteria = [{ text: RETRY }, { text: SUITE, command: `npm test -- -t "half to even"` }]
      const argv = ['npm', 'test', '--', '-t', 'half to even']
      expect(await client().declareCriteria({ ...task, criteria })).toMatchObject({ version: 2 })
      expect(
        (await client().getSpecification(task)).criteria.map(({ kind, command }) => [kind, command]),
      ).toEqual([
        ['code', undefined],
        ['command', argv],
      ])
      const again = [{ text: RETRY }, { text: SUITE, kind: 'command' as const, command: argv }]
      expect(await client().declareCriteria({ ...task, criteria: again })).toMatchObject({
        created: false,
        version: 2,
      })
      expect(await client().declareCriteria(declared(RETRY, SUITE))).toMatchObject({
        created: true,
        version: 3,
      })
      const { rows } = await client().queryGraph({
        query:
          'MATCH (s:Specification)-[l:LISTS]->() WHERE l.command IS NOT NULL RETURN s.version, l.position, l.command',
      })
      expect(rows).toEqual([[2, 1, argv]])
    })

    test('a command that needs a shell, or that another kind of criterion has, is refused', async () => {
      const declare = (criterion: { kind?: 'code' | 'manual'; command: string | string[] }) =>
        client().declareCriteria({ ...task, criteria: [{ text: SUITE, ...criterion }] })
      await expect(declare({ command: 'npm test && npm run lint' })).rejects.toThrow(
        'criteria[0].command: needs a shell for "&&"; give it on the command line with `turngraph verify --shell`',
      )
      await expect(declare({ command: ['npm'], kind: 'manual' })).rejects.toThrow(
        'criteria[0].command: is for criteria of the kind command, not manual',
      )
      await expect(declare({ command: [] })).rejects.toThrow('criteria[0].command: is empty')
    })

    test('before the first turn all declared criteria are pending, never judged, in order, and in the context', async () => {
      await client().declareCriteria(declared(SUITE, RETRY))
      const view = await client().listCriteria(task)
      expect(view).toMatchObject({
        worldSlug: null,
        specificationVersion: 1,
        total: 2,
        verified: 0,
        remaining: ['AC-001', 'AC-002'],
      })
      expect(view.criteria.map(({ judged, state, declared }) => ({ judged, state, declared }))).toEqual(
        Array.from({ length: 2 }, () => ({ judged: false, state: 'pending', declared: true })),
      )
      for (const role of ['player', 'coach'] as const) {
        const { status, context, prior } = await client().loadTurnContinuationContext({
          ...task,
          currentTurn: 1,
          role,
        })
        expect({ status, context, prior }).toEqual({
          status: 'first_turn',
          context: `**Acceptance Criteria Status**:\n  ○ AC-001: pending — never judged — ${SUITE}\n  ○ AC-002: pending — never judged — ${RETRY}`,
          prior: null,
        })
      }
    })

    test('a criterion that the Coach never named counts as not verified, and the context names it', async () => {
      await client().declareCriteria(declared(RETRY, SUITE, LOG))
      await client().captureTurnState(judged(1, verified('AC-001', { criterionText: RETRY })))
      await client().captureTurnState(judged(2, verified('AC-002', { criterionText: SUITE })))
      const view = await client().listCriteria(task)
      expect(view).toMatchObject({ total: 3, verified: 2, remaining: ['AC-003'] })
      const { context } = await client().loadTurnContinuationContext({
        ...task,
        currentTurn: 3,
        role: 'coach',
      })
      expect(context).toContain(`  ○ AC-003: pending — never judged — ${LOG}`)
      expect(context?.endsWith('**Not judged so far**: AC-003')).toBe(true)
      const player = await client().loadTurnContinuationContext({ ...task, currentTurn: 3 })
      expect(player.context).toContain(`  ○ AC-003: pending — never judged — ${LOG}`)
      expect(player.context).not.toContain('Not judged so far')
      expect(await client().loadStall(task)).toMatchObject({ criteriaLeft: ['AC-003'] })
      expect(await client().explainTurn(task)).toMatchObject({ total: 3, verified: 2 })
      expect((await client().listWorlds({ project: PROJECT })).items).toMatchObject([
        { criteria: 3, verified: 2 },
      ])
    })

    test('a declared criterion that was only promised is listed as never judged', async () => {
      await client().declareCriteria(declared(RETRY, SUITE))
      const promises = [{ criterionId: 'AC-001', criterionText: RETRY, status: 'complete' as const }]
      const verifications = [verified('AC-002', { criterionText: SUITE })]
      await client().captureTurnState(aTurn(1, { promises, verifications }))
      const { criteria } = await client().listCriteria(task)
      expect(criteria.map(({ criterionId, judged }) => [criterionId, judged])).toEqual([
        ['AC-001', false],
        ['AC-002', true],
      ])
    })

    test('the context lists no unjudged criteria before the first judged turn', async () => {
      await client().declareCriteria(declared(RETRY))
      await client().captureTurnState(aTurn(1, { coachDecision: 'error' }))
      const { context } = await client().loadTurnContinuationContext({
        ...task,
        currentTurn: 2,
        role: 'coach',
      })
      expect(context).toContain('never judged')
      expect(context).not.toContain('Not judged so far')
    })

    test('a criterion that matches no declared one is listed as such, and does not affect "all verified"', async () => {
      await client().declareCriteria(declared(RETRY))
      await client().captureTurnState(
        judged(1, verified('AC-001', { criterionText: RETRY }), {
          criterionId: 'X-1',
          criterionText: 'Something else entirely is the case',
          status: 'rejected',
          evidence: 'it is not',
        }),
      )
      expect(await client().listCriteria(task)).toMatchObject({ total: 1, verified: 1, remaining: [] })
      expect(await states()).toEqual(['AC-001 verified true', 'X-1 rejected false'])
    })

    test('the text of a Player lists only declared criteria, and that of a Coach also the others, without a status mark', async () => {
      await client().declareCriteria(declared(RETRY))
      await client().captureTurnState(
        judged(1, verified('X-1', { criterionText: 'Something else is the case' })),
      )
      const of = async (role: 'player' | 'coach') =>
        client().loadTurnContinuationContext({ ...task, currentTurn: 2, role })
      const [player, coach] = [await of('player'), await of('coach')]
      expect(player.context).not.toContain('X-1')
      expect(player.criteria.map(({ criterionId }) => criterionId)).toEqual(['AC-001', 'X-1'])
      expect(coach.context).toMatch(/ {2}○ AC-001: pending.*\n {2}- X-1: verified — not declared/)
    })

    test('promised_not_judged lists every promised criterion without a judge, including those that do not count', async () => {
      const promises = [RETRY, LOG].map((criterionText, i) => ({
        criterionId: `P-${i}`,
        criterionText,
        status: 'complete' as const,
      }))
      await client().captureTurnState(aTurn(1, { promises }))
      const listed = async () =>
        (await client().listCriteria(task)).promisedNotJudged.map(({ criterionId }) => criterionId)
      expect(await listed(), 'nothing is judged').toEqual(['P-0', 'P-1'])
      await client().declareCriteria(declared(RETRY, SUITE))
      await client().captureTurnState(judged(2, verified('AC-002')))
      expect(await listed(), 'one is declared').toEqual(['AC-001', 'P-1'])
      const { context } = await client().loadTurnContinuationContext({ ...task, currentTurn: 3 })
      expect(context).not.toContain(LOG)
    })

    test('contested criteria are counted separately, and a rejection with its own evidence ends all_verified', async () => {
      const about = { criterionText: RETRY }
      const rejected = (evidence: string | null) => ({
        ...verified('AC-1', about),
        status: 'rejected' as const,
        evidence,
      })
      const counts = async () => {
        const { verified, contested, total, allVerified } = await client().listCriteria(task)
        return { verified, contested, total, allVerified }
      }
      await client().captureTurnState(judged(1, verified('AC-1', about)))
      expect(await counts()).toEqual({ verified: 1, contested: 0, total: 1, allVerified: true })
      await client().captureTurnState(judged(2, rejected(null)))
      expect(await counts()).toEqual({ verified: 1, contested: 1, total: 1, allVerified: true })
      await client().captureTurnState(judged(3, rejected('The host was asked once')))
      expect(await counts()).toEqual({ verified: 1, contested: 1, total: 1, allVerified: false })
      expect((await client().listWorlds(task)).items).toMatchObject([
        { verified: 1, contested: 1, criteria: 1 },
      ])
      expect(await client().explainTurn(task)).toMatchObject({ verified: 1, contested: 1, total: 1 })
      const { context } = await client().loadTurnContinuationContext({ ...task, currentTurn: 4 })
      expect(context).toContain(`⚠ AC-1: verified (turn 1, contested in turn 3) — ${RETRY}`)
      expect(context).toContain('1 of 1 criteria verified after turn 3, 1 contested in turn 3')
    })

    test('an entry matches a declared criterion by its words, its beginning, its label with most words, or its id only', async () => {
      await client().declareCriteria(declared(`${RETRY}, with growing pauses`, SUITE, LOG))
      await client().captureTurnState(
        judged(
          1,
          verified('C-1', { criterionText: `- [x] ${RETRY}` }), // the beginning, under another label
          verified('AC-002', { criterionText: 'The whole suite passes in CI' }), // its label, most of its words
        ),
      )
      expect(await states()).toEqual(['AC-001 verified true', 'AC-002 verified true', 'AC-003 pending true'])
      await client().captureTurnState(judged(2, verified('AC-3'), verified('AC-1')))
      expect(await states()).toEqual(['AC-001 verified true', 'AC-002 verified true', 'AC-003 verified true'])
    })

    test('the error about a default id that another criterion has names both criteria', async () => {
      const declare = (...criteria: { criterionId?: string; text: string }[]) =>
        client().declareCriteria({ ...task, criteria })
      await expect(declare({ criterionId: 'AC-2', text: RETRY }, { text: SUITE })).rejects.toThrow(
        'criteria[1].criterionId: is left out, and the default of its place, "AC-002", is the id of criterion 1 in the list; give it one',
      )
      await expect(declare({ text: RETRY }, { criterionId: 'AC-001', text: SUITE })).rejects.toThrow(
        'criteria[1].criterionId: is the default id, "AC-001", of criterion 1 in the list, which has none; give that one an id',
      )
      await expect(
        declare({ criterionId: 'AC-7', text: RETRY }, { criterionId: 'AC-007', text: SUITE }),
      ).rejects.toThrow('criteria[1].criterionId: has the id of criterion 1 in the list')
      expect(await declare({ criterionId: 'AC-001', text: RETRY }, { text: SUITE })).toMatchObject({
        criteria: [{ criterionId: 'AC-001' }, { criterionId: 'AC-002' }],
      })
    })

    test('a declared label is shown in its declared form, and aliases also have the form of a judge', async () => {
      await client().declareCriteria({ ...task, criteria: [{ criterionId: 'ac-7', text: RETRY }] })
      await client().captureTurnState(judged(1, verified('AC-007', { criterionText: RETRY })))
      const [criterion, ...others] = (await client().listCriteria(task)).criteria
      expect(others).toEqual([])
      expect(criterion).toMatchObject({ criterionId: 'ac-7', state: 'verified' })
      expect(criterion?.aliases.map(({ label }) => label).sort()).toEqual(['AC-007', 'ac-7'])
      const { context } = await client().loadTurnContinuationContext({ ...task, currentTurn: 2 })
      expect(context).toContain('  ✓ ac-7: verified')
    })

    test('an id without a text is the declared criterion of that id, with any other ids in its list', async () => {
      await client().declareCriteria(declared(RETRY, SUITE))
      await client().captureTurnState(judged(1, verified('AC-001'), verified('AC-009')))
      expect(await states()).toEqual(['AC-001 verified true', 'AC-002 pending true', 'AC-009 verified false'])
    })

    test('entries with an id only match declared criteria, even if the turn also has an undeclared criterion', async () => {
      await client().declareCriteria(declared(RETRY, SUITE))
      const other = verified('AC-099', { criterionText: 'Something else entirely is the case' })
      for (const turn of [1, 2, 3])
        await client().captureTurnState(judged(turn, verified('AC-001'), other, verified('AC-2')))
      expect(await states()).toEqual([
        'AC-001 verified true',
        'AC-002 verified true',
        'AC-099 verified false',
      ])
      expect(await client().listCriteria(task)).toMatchObject({ total: 2, verified: 2, remaining: [] })
      const { context } = await client().loadTurnContinuationContext({
        ...task,
        currentTurn: 4,
        role: 'coach',
      })
      expect(context).not.toContain('never judged')
      expect(await client().loadStall(task)).toMatchObject({ criteriaLeft: [], shouldStop: false })
    })

    test('a status map whose keys are declared texts judges the declared criteria', async () => {
      await client().declareCriteria(declared(RETRY, SUITE, LOG))
      const acceptanceCriteriaStatus = {
        [RETRY]: 'verified',
        [`- [x] ${SUITE}.`]: 'rejected',
        [`AC-3: ${LOG}`]: 'verified',
      } as const
      await client().captureTurnState({ ...judged(1), acceptanceCriteriaStatus })
      expect(await states()).toEqual(['AC-001 verified true', 'AC-002 rejected true', 'AC-003 verified true'])
      const { context } = await client().loadTurnContinuationContext({ ...task, currentTurn: 2 })
      expect(context).toContain(`  ✓ AC-001: verified\n  ✗ AC-002: rejected — ${SUITE}\n`)
    })

    test('ids that shift between Player and Coach are read by their texts', async () => {
      await client().declareCriteria(declared(RETRY, SUITE, LOG))
      await client().captureTurnState(
        aTurn(1, {
          promises: [{ criterionId: 'AC-002', criterionText: RETRY, status: 'complete' }],
          verifications: [
            verified('AC-000', { criterionText: RETRY }),
            verified('AC-001', { criterionText: LOG }),
          ],
        }),
      )
      expect(await states()).toEqual(['AC-001 verified true', 'AC-002 pending true', 'AC-003 verified true'])
    })

    test('promises have the declared labels and texts, even if the Player and the Coach number the criteria differently', async () => {
      await client().declareCriteria(declared(RETRY, SUITE))
      await client().captureTurnState(
        aTurn(1, {
          promises: [
            { criterionId: 'AC-1', criterionText: SUITE, status: 'complete' },
            { criterionId: 'AC-2', criterionText: RETRY, status: 'partial' },
          ],
          verifications: [verified('AC-2', { criterionText: RETRY, status: 'rejected' })],
        }),
      )
      const expected = [
        { criterionId: 'AC-002', criterionText: SUITE, label: 'AC-1', givenLabel: 'AC-1' },
        { criterionId: 'AC-001', criterionText: RETRY, label: 'AC-2', givenLabel: 'AC-2' },
      ]
      for (const turn of [1, 2])
        expect((await client().recoverPromises({ ...task, turn })).items).toMatchObject(expected)
      const answer = await client().loadTurnContinuationContext({ ...task, currentTurn: 2, role: 'coach' })
      expect(answer.promises?.items).toMatchObject(expected)
      expect(answer.context).toContain('turn 1**: 2\n  - AC-002: complete\n  - AC-001: partial')
    })

    test('a manual criterion is counted separately: all other criteria can be verified without it', async () => {
      const criteria = [{ text: RETRY }, { text: DOCS, kind: 'manual' as const }]
      await client().declareCriteria({ ...task, criteria })
      await client().captureTurnState(judged(1, verified('AC-001', { criterionText: RETRY })))
      await client().captureTurnState(judged(2))
      const view = await client().listCriteria(task)
      expect(view).toMatchObject({ total: 2, verified: 1, remaining: [], manual: ['AC-002'] })
      expect(await client().loadStall(task)).toMatchObject({ criteriaLeft: [] })
      const { context } = await client().loadTurnContinuationContext({
        ...task,
        currentTurn: 3,
        role: 'coach',
      })
      expect(context).toContain('1 of 2 criteria verified after turn 2, 1 for a person')
      expect(context).not.toContain('Not judged so far')
    })

    test('a reworded criterion keeps its ledger, and its proof is stale until it is verified again', async () => {
      await client().declareCriteria(declared(RETRY, SUITE))
      await client().captureTurnState(judged(1, verified('AC-001', { criterionText: RETRY })))
      const second = await client().declareCriteria(declared(`${RETRY} with growing pauses`, LOG))
      expect(second.criteria).toMatchObject([{ rewordedInVersion: 2 }, {}])
      expect(second.criteria[1]).not.toHaveProperty('rewordedInVersion')
      expect(second.retired).toMatchObject([{ text: SUITE, retiredInVersion: 2 }])
      const [first] = (await client().listCriteria(task)).criteria
      expect(first).toMatchObject({
        state: 'verified',
        verifiedInTurn: 1,
        stale: { files: [] },
        rewordedInVersion: 2,
      })
      expect(await states({ policy: 'fresh' })).toEqual(['AC-001 pending true', 'AC-002 pending true'])
      await client().captureTurnState(
        judged(2, verified('AC-001', { criterionText: `${RETRY} with growing pauses` })),
      )
      expect((await client().listCriteria(task)).criteria[0]).not.toHaveProperty('stale')
    })

    test('after a rewording, only an observation that was made later proves a criterion, in whatever turn it is stored', async () => {
      const observe = (startedAt: Date) =>
        client().addVerifications({
          ...task,
          verifications: [
            verified('AC-001', {
              source: 'command',
              observation: { command: ['npm', 'test'], exitCode: 0, startedAt: startedAt.toISOString() },
            }),
          ],
        })
      const isStale = async () => 'stale' in ((await client().listCriteria(task)).criteria[0] ?? {})
      const staleProofs = async () => (await client().runAnalysis({ name: 'stale-proofs' })).rows.length
      await client().declareCriteria(declared(RETRY))
      await client().captureTurnState(judged(1, verified('AC-001', { criterionText: RETRY })))
      const before = new Date()
      await sleep(2)
      await client().declareCriteria(declared(`${RETRY} with growing pauses`))
      await observe(before)
      expect([await isStale(), await staleProofs()]).toEqual([true, 1])
      await observe(new Date())
      expect([await isStale(), await staleProofs()]).toEqual([false, 0])
    })

    test('a criterion that is no longer declared does not count, and has the version that retired it', async () => {
      await client().declareCriteria(declared(RETRY, SUITE))
      await client().captureTurnState(judged(1, verified('AC-002', { criterionText: SUITE })))
      await client().declareCriteria(declared(RETRY))
      const view = await client().listCriteria(task)
      expect(view).toMatchObject({ total: 1, verified: 0 })
      expect(view.criteria[1]).toMatchObject({ text: SUITE, declared: false, retiredInVersion: 2 })
      await client().declareCriteria(declared(RETRY, SUITE))
      expect(await states()).toEqual(['AC-001 pending true', 'AC-002 verified true'])
    })

    test('a proof is stale after a later turn touches one of its files, until a new verdict', async () => {
      await client().declareCriteria(declared(RETRY, SUITE))
      const touching = (turnNumber: number, filesModified: string[], ...verifications: Entry[]) =>
        client().captureTurnState(aTurn(turnNumber, { filesModified, verifications }))
      await client().captureTurnState(
        aTurn(1, {
          promises: [
            {
              criterionId: 'AC-001',
              status: 'complete',
              implementationFiles: ['/w/.guardkit/worktrees/F/src/retry.ts'],
            },
          ],
          verifications: [
            verified('AC-001'),
            verified('AC-002', { files: ['test/suite.ts', '../outside.ts'] }),
          ],
        }),
      )
      await touching(2, ['./src/retry.ts', '../outside.ts'])
      const staleIn = async (turn: number) =>
        (await client().listCriteria({ ...task, turn })).criteria.map(({ stale }) => stale ?? null)
      expect(await staleIn(1)).toEqual([null, null])
      expect(await staleIn(2)).toEqual([{ turn: 2, files: ['src/retry.ts'] }, null])
      const { context } = await client().loadTurnContinuationContext({
        ...task,
        currentTurn: 3,
        role: 'coach',
      })
      expect(context).toContain('  ✓ AC-001: verified (turn 1, touched in turn 2: src/retry.ts)')
      expect(context).toContain(`**Check again**:\n  - AC-001: ${RETRY}`)
      expect(await states({ policy: 'fresh' })).toEqual(['AC-001 pending true', 'AC-002 verified true'])
      await touching(3, ['src/retry.ts', 'test/suite.ts'], verified('AC-001'))
      expect(await staleIn(3)).toEqual([null, { turn: 3, files: ['test/suite.ts'] }])
    })

    test('a file that git shows as unchanged, by an issue of the turn, makes no proof stale', async () => {
      await client().declareCriteria(declared(RETRY, SUITE))
      const files = { 'AC-001': ['src/retry.ts'], 'AC-002': ['test/suite.ts'] }
      await client().captureTurnState(
        aTurn(1, {
          verifications: Object.entries(files).map(([id, named]) => verified(id, { files: named })),
        }),
      )
      const captured = await client().captureTurnState(
        aTurn(2, {
          filesModified: ['./src/retry.ts', 'test/suite.ts'],
          issues: [
            { severity: 'should_fix', description: 'git status shows no change for src/retry.ts this turn.' },
          ],
        }),
      )
      // The claim itself stays in the record.
      expect(captured.filesModified).toEqual(['./src/retry.ts', 'test/suite.ts'])
      const { criteria } = await client().listCriteria(task)
      expect(criteria.map(({ stale }) => stale ?? null)).toEqual([
        null,
        { turn: 2, files: ['test/suite.ts'] },
      ])
      const lines = [
        '  ✓ AC-001: verified (turn 1)',
        '  ✓ AC-002: verified (turn 1, touched in turn 2: test/suite.ts)',
      ]
      for (const asOf of ['now', 'turn'] as const) {
        const next = { ...task, currentTurn: 3, role: 'coach' as const, asOf }
        const { context } = await client().loadTurnContinuationContext(next)
        for (const line of lines) expect(context?.split('\n')).toContain(line)
      }
      const replaced = aTurn(2, { filesModified: ['src/retry.ts'] })
      await client().captureTurnState({ ...replaced, onConflict: 'supersede' })
      const staleFiles = async () =>
        (await client().listCriteria(task)).criteria.map(({ stale }) => stale?.files ?? null)
      expect(await staleFiles()).toEqual([['src/retry.ts'], null])
      // Files that git shows are facts, whatever an issue says.
      const issues = [{ severity: 'advisory' as const, description: 'git shows no change for test/suite.ts' }]
      const claimed = aTurn(2, { filesModified: ['test/suite.ts'], issues })
      await client().captureTurnState({ ...claimed, onConflict: 'supersede' })
      expect(await staleFiles()).toEqual([null, null])
      const seen = { ...claimed, filesSource: 'git' as const, onConflict: 'supersede' as const }
      expect(await client().captureTurnState(seen)).toMatchObject({ filesSource: 'git' })
      expect(await staleFiles()).toEqual([null, ['test/suite.ts']])
      const { worldSlug } = claimed
      expect(await client().getTurn({ worldSlug: worldSlug ?? TASK, turnNumber: 2 })).toMatchObject({
        filesSource: 'git',
      })
    })

    test('the files of a proof are those that a promise or a judge named last, however long ago', async () => {
      await client().declareCriteria(declared(RETRY, SUITE))
      const turn = (turnNumber: number, more: Partial<TurnToSend>) =>
        client().captureTurnState(aTurn(turnNumber, more))
      const promises = [
        { criterionId: 'AC-001', status: 'complete' as const, implementationFiles: ['src/retry.ts'] },
      ]
      const stale = async () =>
        (await client().listCriteria(task)).criteria.map(({ stale }) => stale?.turn ?? null)
      await turn(1, { promises })
      for (const number of [2, 3]) await turn(number, { verifications: [verified('AC-001')] })
      await turn(4, { filesModified: ['src/retry.ts', 'test/suite.ts'], verifications: [verified('AC-002')] })
      expect(await stale()).toEqual([4, null])
      await turn(5, { verifications: [verified('AC-001'), verified('AC-002', { files: ['test/suite.ts'] })] })
      for (const number of [6, 7])
        await turn(number, { verifications: [verified('AC-001'), verified('AC-002')] })
      expect(await stale()).toEqual([null, null])
      await turn(8, { filesModified: ['test/suite.ts'], verifications: [verified('AC-001')] })
      expect(await stale()).toEqual([null, 8])
    })

    test('createWorld can declare criteria, and a new session of the task starts with them', async () => {
      await client().createWorld({ ...task, criteria: [{ text: RETRY }] })
      expect(await client().listCriteria(task)).toMatchObject({ worldSlug: TASK, total: 1 })
      await client().captureTurnState(judged(1, verified('AC-001')))
      await client().createWorld(task)
      expect(await states()).toEqual(['AC-001 pending true'])
      expect(await client().listCriteria({ ...task, worldSlug: TASK })).toMatchObject({ verified: 1 })
    })

    test('a declaration after the turns finds the criteria that they named', async () => {
      await client().captureTurnState(judged(1, verified('AC-4', { criterionText: RETRY }), verified('AC-5')))
      await client().declareCriteria(declared(`${RETRY}, and then given up`, SUITE))
      expect(await states()).toEqual(['AC-001 verified true', 'AC-002 pending true', 'AC-5 verified false'])
      expect(await states({ turn: 1 })).toEqual(await states())
    })

    test('parallel captures and declarations leave a graph in which each entry has the right criterion', async () => {
      const texts = Array.from({ length: 6 }, (_, i) => `${LOG} number ${i}`)
      await Promise.all([
        ...texts.map((text, i) =>
          client().captureTurnState({
            ...judged(1, verified(`AC-${i + 1}`, { criterionText: text })),
            worldSlug: `w${i}`,
          }),
        ),
        client().declareCriteria(declared(...texts)),
      ])
      for (const [i] of texts.entries()) {
        const view = await client().listCriteria({ ...task, worldSlug: `w${i}` })
        expect(view).toMatchObject({ total: 6, verified: 1 })
        expect(view.criteria.filter(({ declared }) => declared === false)).toEqual([])
      }
    })

    test('a specification without turns is valid for the doctor, and is forgotten with its task or project, not with a world', async () => {
      await client().declareCriteria(declared(RETRY, SUITE))
      expect((await client().examineGraph({})).findings).toEqual([])
      await client().captureTurnState(judged(1, verified('AC-001')))
      await client().createWorld({ ...task, worldSlug: 'second' })
      await forgetAll({ worldSlug: TASK })
      expect(await client().listCriteria(task)).toMatchObject({ total: 2, verified: 0 })
      expect((await client().examineGraph({})).findings).toEqual([])
      await forgetAll({ featureId: FEATURE, taskId: TASK })
      await expect(client().getSpecification(task)).rejects.toMatchObject({ code: 'not_found' })
      for (const scope of [{ featureId: FEATURE, taskId: TASK }, { wholeProject: true }]) {
        await client().declareCriteria(declared(RETRY))
        expect(await client().forget({ project: PROJECT, ...scope }), 'a dry run counts it').toMatchObject({
          done: true,
          counts: { Task: 1 },
        })
        await forgetAll(scope)
        await expect(client().getSpecification(task)).rejects.toMatchObject({ code: 'not_found' })
        expect((await client().listProjects({})).items).toEqual([])
      }
    })

    test('forgetting one session of a task leaves the declared names of its criteria', async () => {
      await client().declareCriteria(declared(RETRY, SUITE))
      await client().declareCriteria(declared(`${RETRY} before the call fails`, DOCS))
      const stored = async () =>
        (await dumpOf(handles.graph)).filter((line) => line.startsWith('(Criterion ')).sort()
      const before = await stored()
      for (const worldSlug of ['gone', 'stays'])
        await client().captureTurnState({
          ...judged(1, verified('AC-1'), verified('AC-009', { criterionText: `${DOCS} ${worldSlug}` })),
          worldSlug,
        })
      await forgetAll({ worldSlug: 'gone' })
      const labels = async () =>
        (await client().listCriteria({ ...task, worldSlug: 'stays', policy: 'latest' })).criteria.map(
          ({ criterionId, state }) => `${criterionId} ${state}`,
        )
      expect(await labels()).toEqual(['AC-001 verified', 'AC-002 verified'])
      const text = `AC-001: ${RETRY} before the call fails`
      const rejected = { criterionId: 'AC-001', criterionText: text, status: 'rejected' as const }
      await client().captureTurnState({ ...judged(2, rejected), worldSlug: 'stays' })
      expect(await labels()).toEqual(['AC-001 rejected', 'AC-002 verified'])
      await client().createWorld({ ...task, worldSlug: 'empty' })
      await forgetAll({ worldSlug: 'stays' })
      expect(await stored()).toEqual(before)
      expect((await client().examineGraph({})).findings).toEqual([])
    })

    test('other tasks and projects are not affected', async () => {
      await client().declareCriteria(declared(RETRY))
      const other = { ...task, taskId: 'TASK-2' }
      await expect(client().getSpecification(other)).rejects.toMatchObject({ code: 'not_found' })
      expect(await client().listCriteria({ ...task, project: 'other' })).toMatchObject({
        total: 0,
        criteria: [],
      })
      await expect(client().getSpecification({ ...task, version: 2 })).rejects.toMatchObject({
        code: 'not_found',
      })
    })
  })
}
