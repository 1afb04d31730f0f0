import { describe, expect, test } from 'vitest'
import { inProcessClient } from '../../src/client/in-process.ts'
import { restoreRecords } from '../../src/maintenance/restore/restore.ts'
import { Executors } from '../../src/runs/executors.ts'
import { TurnRuns } from '../../src/runs/turn-runs.ts'
import { memory } from '../support/embedded-engines.ts'
import { exportOf, recordsOf, restoreLines } from '../support/exported.ts'
import { aContext, aTurn, clientOf, FEATURE, PROJECT, TASK, type TurnToSend } from '../support/records.ts'
import { bytesOf, errorsOf, everyTurn, send, sessionOf, turn } from '../support/transcript-import.ts'
import { findingsOf } from './doctor.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

/** Joined at run time, so that a scan of this file does not report it. */
const SECRET = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')
const DSN = `postgres://app:${['hunter', '2hunter'].join('')}@db.internal/app`

/** The secret in every free text that a record has. */
const leaking = (turnNumber: number): TurnToSend =>
  aTurn(turnNumber, {
    playerSummary: `exported TOKEN=${SECRET}`,
    coachFeedback: `connect to ${DSN}`,
    blockersFound: [`401 for ${SECRET}`],
    lessonsFromTurn: [`never print ${SECRET}`],
    filesModified: [`logs/${SECRET}.txt`],
    progressSummary: SECRET,
    whatToTryNext: SECRET,
    acceptanceCriteriaStatus: { [`AC ${SECRET}`]: 'pending' },
    verifications: [
      { criterionId: 'AC-001', criterionText: `Works with ${SECRET}`, status: 'verified', evidence: SECRET },
    ],
    promises: [{ criterionId: 'AC-001', status: 'complete', evidence: SECRET, testFile: SECRET }],
    issues: [{ severity: 'must_fix', description: SECRET, suggestion: SECRET, details: { deep: [SECRET] } }],
    extra: { log: { lines: [SECRET] } },
  })

type Exported = { kind: string; turn: object; steps: object[] }

/** Invariant 10: no secret is stored. */
export function secretsContract(store: StoreUnderTest): void {
  describe('guarantee: secrets are masked before anything is stored', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const everything = async () =>
      JSON.stringify(
        await handles.graph.read(
          {
            name: 'test/everything',
            text: 'MATCH (n) RETURN labels(n) AS labels, properties(n) AS held',
            params: [],
          },
          {},
        ),
      )

    test('secrets in every free text are masked before anything is stored, and counted', async () => {
      const answer = await client().captureTurnState(leaking(1))
      expect(answer.redactions).toBe(16)
      expect(answer).toMatchObject({
        playerSummary: expect.stringMatching(/^exported TOKEN=\[redacted:[0-9a-f]{2}\]$/),
        coachFeedback: expect.stringMatching(
          /^connect to postgres:\/\/\[redacted:[0-9a-f]{2}\]@db\.internal\/app$/,
        ),
        extra: { log: { lines: [expect.stringMatching(/^\[redacted:[0-9a-f]{2}\]$/)] } },
      })
      const { created, superseded, worldCreated, redactions, ...stored } = answer
      expect(await client().getTurn({ worldSlug: stored.worldSlug, turnNumber: 1 })).toEqual(stored)
      for (const role of ['player', 'coach'] as const) {
        expect(
          JSON.stringify(await client().loadTurnContinuationContext(aContext(2, { role }))),
        ).not.toContain(SECRET)
      }
      const held = await everything()
      expect(held).toContain('[redacted:')
      expect(held).not.toContain(SECRET)
      expect(held).not.toContain('hunter')
    })

    test('a repeated capture is no conflict, and the error of a different one does not contain the secret', async () => {
      await client().captureTurnState(leaking(1))
      expect(await client().captureTurnState(leaking(1))).toMatchObject({ created: false, redactions: 16 })
      const other = { ...leaking(1), playerSummary: `another ${SECRET}` }
      const conflict = await client()
        .captureTurnState(other)
        .catch((error: unknown) => error)
      expect(conflict).toMatchObject({ code: 'turn_conflict', details: { fields: ['player_summary'] } })
      expect(JSON.stringify(conflict)).not.toContain(SECRET)
    })

    test('secrets in a transcript are masked and counted once for each place that is stored, however it is sent', async () => {
      const failing = turn('t', ['Bash', `mcp ${SECRET}`, 'Bash', 'Read', 'Edit'], {
        errors: {
          0: `401 for ${SECRET}`,
          2: `401 for ${SECRET}`,
          3: `${SECRET} or ${DSN}`,
          4: '[redacted] is no file',
        },
      })
      const bytes = bytesOf(failing, turn('u', ['Read'], { from: 50 }))
      const [whole, inParts] = [sessionOf(1), sessionOf(2)]
      expect(await send(client(), whole, bytes)).toMatchObject({ redactions: 5 })
      expect(await send(client(), whole, bytes)).toMatchObject({ bytes: 0, redactions: 0 })
      expect(Object.values(await errorsOf(handles.graph)).sort()).toEqual([
        'Exit code 1\n401 for [redacted]',
        'Exit code 1\n401 for [redacted]',
        'Exit code 1\n[redacted] is no file',
        'Exit code 1\n[redacted] or postgres://[redacted]@db.internal/app',
      ])
      const firstOf = bytesOf(failing.slice(0, 3)).length
      expect(await send(client(), inParts, bytes, { to: firstOf })).toMatchObject({ redactions: 1 })
      const path = `/home/a/${SECRET}.jsonl`
      expect(await send(client(), sessionOf(3), bytesOf(turn('v', ['Read'])), { path })).toMatchObject({
        redactions: 1,
      })
      const stored = await everything()
      expect(stored).not.toContain(SECRET)
      expect(stored).not.toContain('hunter')
      expect(await findingsOf(handles.graph)).toEqual([])
      const lines = await exportOf(handles.graph)
      const restored = await memory.open()
      await restoreLines(restored, lines)
      expect(await exportOf(restored)).toEqual(lines)
      await restored.close()
    })

    test('secrets in the ids of a transcript are masked, and a later import continues at its offset', async () => {
      const ids = { w: `session ${SECRET}`, x: `${sessionOf(4)}/agent ${SECRET}`, y: `of ${SECRET}/agent` }
      for (const [id, session] of Object.entries(ids)) {
        const records = turn(id, ['Read', 'Edit', 'Bash'])
        const bytes = bytesOf(records)
        await send(client(), session, bytes, { to: bytesOf(records.slice(0, 3)).length })
        await send(client(), session, bytes)
      }
      const turns = await everyTurn(client())
      expect(Object.fromEntries(turns.map(({ turnId, length }) => [turnId, length]))).toEqual({
        w: 3,
        x: 3,
        y: 3,
      })
      const stored = await everything()
      expect(stored).toContain('session [redacted]')
      expect(stored).not.toContain(SECRET)
    })

    test('secrets in the name of a process are masked in the leases of its runs and attempts', async () => {
      const duringAttempts: string[] = []
      const executors = new Executors({
        watching: async () => {
          duringAttempts.push(await everything())
          return { failed: 'it was only watched' }
        },
      })
      const runs = new TurnRuns({ graph: handles.graph, instance: `host ${SECRET}`, executors })
      const named = inProcessClient({ graph: handles.graph, project: PROJECT, runs })
      for (const [worldSlug, turnCount] of [
        ['alone', 1],
        ['run', 2],
      ] as const) {
        const world = { featureId: 'FEAT-1', taskId: `TASK-${turnCount}`, worldSlug, executor: 'watching' }
        await named.createWorld(world)
        await named.runTurn({ worldSlug, turnCount, maxAttempts: turnCount })
        await expect.poll(() => runs.executing).toBe(0)
      }
      await runs.close()
      expect(duringAttempts.length).toBe(3)
      for (const during of duringAttempts) {
        expect(during).toContain('host [redacted]')
        expect(during).not.toContain(SECRET)
      }
      expect(await everything()).not.toContain(SECRET)
    })

    test('secrets in a restore are masked and counted, without those that a capture has already masked', async () => {
      const source = await memory.open()
      await clientOf(source).captureTurnState(leaking(1))
      const errors = { 0: `401 for ${SECRET}` }
      await send(clientOf(source), sessionOf(1), bytesOf(turn('t', [`mcp ${SECRET}`, 'Bash'], { errors })))
      const clean = recordsOf(await exportOf(source)) as Exported[]
      await source.close()
      const dirty = structuredClone(clean)
      for (const { kind, turn: of, steps } of dirty) {
        if (kind === 'turn')
          Object.assign(of, { playerSummary: `${SECRET} or ${DSN}`, extra: JSON.stringify({ a: [SECRET] }) })
        if (kind === 'transcript_turn')
          Object.assign(steps[0] ?? {}, { tool: SECRET, error: `for ${SECRET}` })
      }
      expect((await restoreRecords(handles.graph, dirty)).redactions).toBe(5)
      const held = await everything()
      expect(held).not.toContain(SECRET)
      expect(held).not.toContain('hunter')
      const another = await memory.open()
      expect((await restoreRecords(another, clean)).redactions).toBe(0)
      await another.close()
    })

    test('a secret that is a separate argument is masked in the command of an observation and of a criterion', async () => {
      const secret = ['hunter2', 'Qx9z'].join('')
      const commandOf = (value: string) => ['mysql', '--password', value, '--execute', 'select 1']
      const observation = { command: commandOf(secret), exitCode: 0, startedAt: '2026-01-02T00:00:00Z' }
      await client().captureTurnState(
        aTurn(1, {
          verifications: [{ criterionId: 'AC-1', status: 'verified', source: 'command', observation }],
        }),
      )
      const criterion = { criterionId: 'AC-1', text: 'It answers', kind: 'command' as const }
      await client().declareCriteria({
        ...{ featureId: FEATURE, taskId: TASK },
        criteria: [{ ...criterion, command: observation.command }],
      })
      expect(await everything()).not.toContain(secret)
      const { criteria } = await client().getSpecification({ featureId: FEATURE, taskId: TASK })
      const masked = expect.stringMatching(/^\[redacted:[0-9a-f]{2}\]$/)
      expect(criteria).toMatchObject([{ command: commandOf(masked) }])
    })

    test('a text without secrets is stored unchanged', async () => {
      const text = 'See https://example.com/@scope/pkg and 3d70764, then user@host: 10:20'
      const answer = await client().captureTurnState(aTurn(1, { playerSummary: text }))
      expect(answer).toMatchObject({ playerSummary: text, redactions: 0 })
    })
  })
}
