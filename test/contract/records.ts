import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { importAutobuild } from '../../src/artifacts/import.ts'
import { parseOrderedJson } from '../../src/core/ordered-json.ts'
import { parseWire, toWire } from '../../src/core/wire-form.ts'
import { captureTurnState } from '../../src/memory/capture/capture.ts'
import { captureRequest } from '../../src/memory/record/record.ts'
import { declareCriteria } from '../../src/memory/specification/declare.ts'
import { operations } from '../../src/operations/table.ts'
import { exportOf, restoreLines } from '../support/exported.ts'
import { countsOf, dumpOf } from '../support/graph-dump.ts'
import {
  aContext,
  aTurn,
  clientOf,
  everyField,
  FEATURE,
  PROJECT,
  TASK,
  type TurnToSend,
} from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

/** The accepted and rejected words of a turn record, and captures of a record that was read. */
export function recordsContract(store: StoreUnderTest): void {
  describe('the words of a record', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)

    test('a decision is accepted in any spelling of its table, and the given word is stored with it', async () => {
      const given = [
        ['approved', 'pass'],
        ['approved', ' Approve. '],
        ['approved', 'LGTM!!'],
        ['feedback', 'Needs revision'],
        ['feedback', 'changes-requested'],
        ['rejected', 'FAILED'],
        ['deferred', 'defer'],
        ['error', 'Error:'],
        ['unknown', 'unknown'],
      ] as const
      for (const [i, [meant, coachDecision]] of given.entries()) {
        await client().captureTurnState(aTurn(i + 1, { coachDecision, playerDecision: 'Done!' }))
        expect(await client().getTurn({ worldSlug: TASK, turnNumber: i + 1 })).toMatchObject({
          playerDecision: 'implemented',
          playerDecisionRaw: 'Done!',
          coachDecision: meant,
          coachDecisionRaw: coachDecision,
        })
      }
    })

    test.each(['approve', 'Approved.', 'feedback', 'rejected', 'needs work'])(
      "a Coach's decision as the Player's (%s) is recorded as implemented, with a warning, and comes back as it is",
      async (playerDecision) => {
        const { warnings, ...stored } = await client().captureTurnState(aTurn(1, { playerDecision }))
        expect(stored).toMatchObject({ playerDecision: 'implemented', playerDecisionRaw: playerDecision })
        expect(warnings).toEqual([
          expect.stringMatching(/^player_decision ".+" is a Coach's decision; recorded as implemented$/),
        ])
        const read = await client().getTurn({ worldSlug: TASK, turnNumber: 1 })
        expect(read).toMatchObject({ playerDecision: 'implemented', playerDecisionRaw: playerDecision })
        expect(await client().captureTurnState(read)).toMatchObject({ created: false })
      },
    )

    test.each(['failed', 'error', 'blocked', 'done'])(
      '%s is read as a decision of the Player first',
      async (word) => {
        const stored = await client().captureTurnState(aTurn(1, { playerDecision: word }))
        expect(stored.playerDecision).toBe(
          word === 'done' ? 'implemented' : word === 'error' ? 'failed' : word,
        )
        expect(stored.warnings).toBeUndefined()
      },
    )

    test('an empty feature is that of the world, and FEAT-UNKNOWN without one', async () => {
      await client().createWorld({ featureId: 'FEAT-7', taskId: 'TASK-7', worldSlug: 'seven' })
      const turn = { ...aTurn(1), featureId: '', taskId: 'TASK-7', id: 'TURN--1' }
      const named = await client().captureTurnState({ ...turn, worldSlug: 'seven' })
      expect(named).toMatchObject({ featureId: 'FEAT-7', worldSlug: 'seven', id: 'TURN-FEAT-7-1' })
      expect(named.warnings).toBeUndefined()
      const nameless = await client().captureTurnState({ ...turn, taskId: 'TASK-8' })
      expect(nameless).toMatchObject({ featureId: 'FEAT-UNKNOWN', worldSlug: 'TASK-8' })
      expect(nameless.warnings).toEqual([
        'feature_id is empty and no world names it; recorded under FEAT-UNKNOWN',
      ])
      expect(await client().captureTurnState({ ...turn, taskId: 'TASK-8' })).toMatchObject({ created: false })
    })

    test('a mode is accepted in any spelling of its table', async () => {
      const { mode } = await client().captureTurnState(aTurn(2, { mode: 'Recovering state.' }))
      expect(mode).toBe('recovering_state')
    })

    test('a missing decision is stored as unknown', async () => {
      const { coachDecision: _, ...silent } = aTurn(1)
      expect(await client().captureTurnState(silent)).toMatchObject({
        playerDecision: 'unknown',
        coachDecision: 'unknown',
        coachDecisionRaw: null,
      })
    })

    test.each([
      ['coachDecision', 'aproved', '"aproved": did you mean "approved"?'],
      ['coachDecision', 'Reejct', '"Reejct": did you mean "reject"?'],
      ['coachDecision', 'banana', '"banana" is not known; use approved, feedback, '],
      ['coachDecision', 'not approved', '"not approved" is not known; use approved, feedback, '],
      ['coachDecision', 'incomplete', '"incomplete" is not known; use approved, feedback, '],
      ['coachDecision', 'x', '"x" is not known; use approved, feedback, '],
      ['coachDecision', ' ', 'is empty; use approved, feedback, '],
      ['playerDecision', 'implementd', '"implementd": did you mean "implemented"?'],
      ['mode', 'fresh_strat', '"fresh_strat": did you mean "fresh_start"?'],
    ])('a %s "%s" is refused with the nearest word, and nothing is stored', async (field, word, message) => {
      await expect(client().captureTurnState(aTurn(1, { [field]: word }))).rejects.toMatchObject({
        code: 'invalid_request',
        details: { problems: [{ path: field, message: expect.stringContaining(message) }] },
      })
      expect(await countsOf(handles.graph)).toEqual({})
    })

    test.each([
      [
        'blocking',
        'blocking blocker must_fix Must-Fix critical major high severe error fatal P0 p1 sev0 sev1',
      ],
      ['should_fix', 'should_fix minor medium moderate warning p2 sev2'],
      ['advisory', 'advisory low trivial info note nit suggestion consider optional p3 p4'],
    ])('a severity of the table is stored as %s', async (severity, words) => {
      const issues = words.split(' ').map((word) => ({ severity: word, description: word }))
      const stored = await client().captureTurnState(aTurn(1, { issues }))
      expect(stored.issues.map((issue) => [issue.severity, issue.severityRaw])).toEqual(
        issues.map((issue) => [severity, issue.severity]),
      )
    })

    test.each([
      ['complete', 'complete completed done finished implemented yes true'],
      ['partial', 'partial in_progress'],
      ['incomplete', 'incomplete not_started todo failed no false'],
      ['uncertain', 'uncertain unknown'],
    ])('a promise status of the table is stored as %s', async (status, words) => {
      const promises = words
        .split(' ')
        .map((word, i) => ({ criterionId: `C-${i}`, status: word as 'complete' }))
      const stored = await client().captureTurnState(aTurn(1, { promises }))
      expect(stored.promises.map((promise) => promise.status)).toEqual(promises.map(() => status))
    })

    test('a status map keeps the order of its JSON text, whole-number keys included', async () => {
      const text = '{"10":"pending","2":"verified","a":"pending","1":"pending"}'
      const record = { ...aTurn(1), acceptanceCriteriaStatus: parseOrderedJson(text) } as TurnToSend
      const { key } = await client().captureTurnState(record)
      const { acceptanceCriteriaStatus } = await client().getTurn({ worldSlug: TASK, turnNumber: 1 })
      expect(key).toContain(TASK)
      expect(JSON.stringify(acceptanceCriteriaStatus)).toBe(text)
      const { criteria } = await client().listCriteria({ featureId: FEATURE, taskId: TASK })
      expect(criteria.map(({ criterionId }) => criterionId)).toEqual(['10', '2', 'a', '1'])
    })

    test('any other severity or promise status is rejected with the given word and the nearest one', async () => {
      const refused = (more: object) =>
        client()
          .captureTurnState(aTurn(1, more))
          .then(
            () => [],
            (error) => error.details.problems,
          )
      expect(await refused({ issues: [{ severity: 'criticl', description: 'It fails' }] })).toEqual([
        {
          path: 'issues[0].severity',
          message: '"criticl": did you mean "critical"? Or use blocking, should_fix or advisory',
        },
      ])
      expect(await refused({ issues: [{ severity: '', description: 'It fails' }] })).toEqual([
        { path: 'issues[0].severity', message: 'is empty; use blocking, should_fix or advisory' },
      ])
      expect(await refused({ promises: [{ criterionId: 'C-1', status: 'complet' }] })).toEqual([
        {
          path: 'promises[0].status',
          message: '"complet": did you mean "complete"? Or use complete, partial, incomplete or uncertain',
        },
      ])
    })

    test.each([
      ['verifed', '"verifed": did you mean "verified"? Or use verified, '],
      ['unverifed', '"unverifed" is not known; use verified, '],
      ['banana', '"banana" is not known; use verified, '],
    ])(
      'a status "%s" of a criterion is refused, with the nearest word where it is misspelt',
      async (word, message) => {
        const record = aTurn(1, { acceptanceCriteriaStatus: { 'AC-1': word } } as object)
        await expect(client().captureTurnState(record)).rejects.toMatchObject({
          code: 'invalid_request',
          details: { problems: [{ message: expect.stringContaining(message) }] },
        })
      },
    )

    test('an attempt with an unknown decision commits nothing', async () => {
      const world = await client().createWorld({ featureId: 'FEAT-1', taskId: TASK, executor: 'external' })
      const { attemptId } = (await client().runTurn({ worldSlug: world.worldSlug })) as { attemptId: string }
      const { fence } = await client().claimAttempt({ attemptId, workerId: 'w' })
      const turn = { playerSummary: 'Built it', coachDecision: 'aproved' }
      await expect(client().commitAttempt({ attemptId, fence, turn })).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('did you mean "approved"?'),
      })
      const ended = await client().commitAttempt({ attemptId, fence, turn: { ...turn, coachDecision: 'ok' } })
      expect(ended).toMatchObject({ status: 'committed' })
      const stored = await client().getTurn({ worldSlug: world.worldSlug, turnNumber: 1 })
      expect(stored.coachDecision).toBe('approved')
    })

    test('only an import of artifacts stores an unrecognized decision as unknown, with a warning', async () => {
      const folder = await artifacts({
        'coach_turn_1.json': { decision: 'magnificent', rationale: 'Well' },
        'coach_turn_2.json': { decision: 'PASS', rationale: 'Well done' },
      })
      const report = await importAutobuild(client(), [folder])
      expect(report).toMatchObject({ turnsCreated: 2, turnsFailed: 0 })
      expect(report.warnings).toContainEqual({
        task: 'TASK-7',
        turn: 1,
        field: 'coach_decision',
        message:
          '"magnificent" is not known; use approved, feedback, rejected, deferred, error or unknown; recorded as unknown',
      })
      const { items } = await client().listTurns({ worldSlug: 'TASK-7' })
      expect(items.map(({ coachDecision, coachDecisionRaw }) => [coachDecision, coachDecisionRaw])).toEqual([
        ['unknown', 'magnificent'],
        ['approved', 'PASS'],
      ])
      expect(await importAutobuild(client(), [folder])).toMatchObject({ turnsCreated: 0, turnsUnchanged: 2 })
      const before = await dumpOf(handles.graph)
      for (const item of items) {
        expect(await client().captureTurnState(item)).toEqual({ ...item, ...SAME })
      }
      expect(await dumpOf(handles.graph)).toEqual(before)
    })
  })

  describe('a record that was read and is captured again', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)

    test.each([
      ['with every field', everyField],
      ['with the least', { project: 'shop', featureId: 'F', taskId: 'T', turnNumber: 1, playerSummary: '' }],
      [
        'whose time is that of its storing',
        aTurn(1, { completedAt: null, startedAt: '2026-01-01T00:00:00Z' }),
      ],
      ['that began and was given no end', withoutEnd(aTurn(1, { startedAt: '2026-01-01T00:00:00Z' }))],
      ['whose duration was derived', aTurn(1, { startedAt: '2026-01-01T00:00:00Z' })],
      ['with synonyms', aTurn(1, { coachDecision: 'Approve.', playerDecision: null, mode: 'recover' })],
      ['with a secret', aTurn(1, { coachFeedback: `AKIA${'ABCDEFGHIJKLMNOP'} is no key to log` })],
    ])('%s is taken as it was read, and changes nothing', async (_name, sent) => {
      const { worldSlug, turnNumber, project } = await client().captureTurnState(sent)
      const read = await client().getTurn({ project, worldSlug, turnNumber })
      const before = await dumpOf(handles.graph)
      expect(await client().captureTurnState(read)).toEqual({ ...read, ...SAME })
      expect(await client().captureTurnState({ ...read, onConflict: 'supersede' })).toEqual({
        ...read,
        ...SAME,
      })
      // The record as JSON, which all other interfaces accept.
      const wire = JSON.parse(JSON.stringify(toWire(operations.getTurn.output, read)))
      const parsed = parseWire(operations.captureTurnState.input, wire, 'the turn record')
      expect(await client().captureTurnState(parsed)).toEqual({ ...read, ...SAME })
      expect(await dumpOf(handles.graph)).toEqual(before)
    })

    test('keeps the name of the token that stored it, also if another token repeats the capture', async () => {
      const { graph } = handles
      const request = { ...captureRequest.parse(aTurn(1)), project: PROJECT }
      const [first, again] = [
        await captureTurnState(graph, request, { recordedBy: 'coach of ci' }),
        await captureTurnState(graph, request, { recordedBy: 'laptop' }),
      ]
      expect([first.created, again.created]).toEqual([true, false])
      expect([first.turn.recordedBy, again.turn.recordedBy]).toEqual(['coach of ci', 'coach of ci'])
      const task = { project: PROJECT, featureId: FEATURE, taskId: TASK }
      const declaration = { ...task, criteria: [{ text: 'It answers with 404' }] }
      expect(await declareCriteria(graph, { ...declaration, recordedBy: 'planner' })).toMatchObject({
        created: true,
        recordedBy: 'planner',
      })
      expect(await declareCriteria(graph, { ...declaration, recordedBy: 'laptop' })).toMatchObject({
        created: false,
        recordedBy: 'planner',
      })
      // A recordedBy in the record itself is ignored, and no context shows it.
      const { turn } = await captureTurnState(graph, {
        ...captureRequest.parse({ ...aTurn(2), recordedBy: 'coach of ci' }),
        project: PROJECT,
      })
      expect(turn.recordedBy).toBeNull()
      const context = await clientOf(graph).loadTurnContinuationContext(aContext(2, { role: 'coach' }))
      expect(JSON.stringify(context)).not.toContain('coach of ci')

      const [lines, dump] = [await exportOf(graph), await dumpOf(graph)]
      const restored = await handles.open(() => store.open())
      await restoreLines(restored, lines)
      expect(await dumpOf(restored)).toEqual(dump)
      const { recordedBy } = await clientOf(restored).getTurn({ worldSlug: TASK, turnNumber: 1 })
      expect(recordedBy).toBe('coach of ci')
      expect(await clientOf(restored).getSpecification(task)).toMatchObject({ recordedBy: 'planner' })
      await restored.close()
    })

    test('is stored in another world if its key is removed, with equal fields', async () => {
      await client().captureTurnState(everyField)
      const read = await client().getTurn({ worldSlug: everyField.worldSlug ?? '', turnNumber: 3 })
      const { key, ...copied } = { ...read, worldSlug: 'another', createWorld: true }
      const { created, superseded, worldCreated, redactions, ...copy } =
        await client().captureTurnState(copied)
      expect(created).toBe(true)
      expect(copy).toEqual({
        ...read,
        worldSlug: 'another',
        key: 'shop/another/3',
        createdAt: copy.createdAt,
      })
    })

    test.each([
      [
        'key',
        { worldSlug: 'another' },
        'is "shop/session%252F1~%25CE%25B1/3", but project, world_slug and turn_number make it "shop/another/3"',
      ],
      ['key', { worldSlug: undefined }, 'cannot be checked without world_slug; name the world too'],
      [
        'coach_decision_raw',
        { coachDecision: 'approved' },
        'is "needs work", which does not mean "approved" as coach_decision does',
      ],
      [
        'player_decision_raw',
        { playerDecisionRaw: null },
        'is null, which does not mean "implemented" as player_decision does',
      ],
      [
        'issues[0].severity_raw',
        { issues: [{ severity: 'advisory', severityRaw: 'must_fix', description: 'x' }] },
        'is "must_fix", which does not mean "advisory" as issues[0].severity does',
      ],
    ])('a key that follows from others and differs is named: %s', async (path, changed, message) => {
      await client().captureTurnState(everyField)
      const read = await client().getTurn({ worldSlug: everyField.worldSlug ?? '', turnNumber: 3 })
      const before = await dumpOf(handles.graph)
      await expect(client().captureTurnState({ ...read, ...changed })).rejects.toMatchObject({
        code: 'invalid_request',
        message: `the turn record: ${path}: ${message}`,
        details: { problems: [{ path, message }] },
      })
      expect(await dumpOf(handles.graph)).toEqual(before)
    })

    test('is a conflict if it differs from its turn, like any other record', async () => {
      await client().captureTurnState(everyField)
      const read = await client().getTurn({ worldSlug: everyField.worldSlug ?? '', turnNumber: 3 })
      await expect(
        client().captureTurnState({ ...read, playerSummary: 'Something else' }),
      ).rejects.toMatchObject({ code: 'turn_conflict', details: { fields: ['player_summary'] } })
    })
  })
}

const SAME = { created: false, superseded: false, worldCreated: false, redactions: 0 }

const withoutEnd = ({ completedAt, ...sent }: ReturnType<typeof aTurn>) => sent

/** Creates a task folder TASK-7 with these files, which is deleted after the test. */
async function artifacts(files: Record<string, object>): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'turngraph-artifacts-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const folder = path.join(root, 'autobuild', 'TASK-7')
  await mkdir(folder, { recursive: true })
  for (const [name, content] of Object.entries(files)) {
    await writeFile(path.join(folder, name), JSON.stringify(content))
  }
  return root
}
