import { describe, expect, test } from 'vitest'
import { toWire } from '../../src/core/wire-form.ts'
import { operations } from '../../src/operations/table.ts'
import { countsOf } from '../support/graph-dump.ts'
import { clientOf, FEATURE, TASK } from '../support/records.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const player = {
  task_id: TASK,
  turn: 1,
  files_modified: ['src/a.py'],
  implementation_notes: 'Built the page',
  completion_promises: [
    { criterion_id: 'AC-001', criterion_text: 'The page shows the total', status: 'complete' },
  ],
}
const coach = {
  task_id: TASK,
  turn: 1,
  decision: 'approve',
  rationale: 'All good',
  criteria_verification: [{ criterion_id: 'AC-001', result: 'verified', evidence: 'Seen' }],
  issues: [{ severity: 'high', description: 'No test' }],
}

/** The reports of a turn as its agents wrote them (contract: doors.md, section 2). */
export function turnReportsContract(store: StoreUnderTest): void {
  describe('the reports of a turn', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    const scope = { featureId: FEATURE, taskId: TASK, turnNumber: 1 }

    test('are stored as one record, and the same reports again are the same turn', async () => {
      const reports = { ...scope, playerReport: player, coachReport: coach }
      const first = await client().captureReports(reports)
      expect(first).toMatchObject({
        created: true,
        worldSlug: TASK,
        playerSummary: 'Built the page',
        playerDecision: 'implemented',
        coachDecision: 'approved',
        coachFeedback: 'All good',
        completedAt: null,
        filesModified: ['src/a.py'],
        verifications: [{ criterionId: 'AC-001', status: 'verified', evidence: 'Seen' }],
        promises: [{ criterionId: 'AC-001', status: 'complete' }],
        issues: [{ severity: 'blocking', severityRaw: 'high', description: 'No test' }],
        warnings: [],
      })
      expect(await client().captureReports(reports)).toMatchObject({ created: false, warnings: [] })
      await expect(
        client().captureReports({ ...reports, coachReport: { ...coach, decision: 'reject' } }),
      ).rejects.toMatchObject({ code: 'turn_conflict' })
    })

    test('a field that does not fit is dropped with a warning that says what fits, and the turn is stored', async () => {
      const { warnings, ...stored } = await client().captureReports({
        ...scope,
        playerReport: {
          ...player,
          completion_promises: [{ ...player.completion_promises[0], status: 'mostly', confidence: 'high' }],
          tests_passed_count: 'all',
        },
        coachReport: {
          ...coach,
          criteria_verification: [{ criterion_id: 'AC-001', result: 'verified', evidence: { exit_code: 0 } }],
          issues: [{ severity: 'spicy', description: 'No test' }],
        },
        turnState: { completed_at: 'yesterday', coverage: '85%', player_decision: 'implemented' },
        taskWorkResults: ['not an object'],
      })
      expect(stored).toMatchObject({
        playerSummary: 'Built the page',
        coachDecision: 'approved',
        coverage: 85,
        testsPassed: null,
        verifications: [{ criterionId: 'AC-001', status: 'verified', evidence: '{"exit_code":0}' }],
        promises: [{ criterionId: 'AC-001', status: 'uncertain', confidence: null }],
        issues: [{ severity: 'should_fix', severityRaw: 'spicy' }],
      })
      expect(warnings).toEqual([
        'player_report.completion_promises[0].confidence: is a text, not a number; it is left out',
        'player_report.tests_passed_count: is a text, not a number; it is left out',
        'coach_report.criteria_verification[0].evidence: is an object, not a text; it is read as a text',
        'turn_state.coverage: is a text, not a number; it is read as a number',
        'task_work_results: is not a JSON object; it is not used',
        'turn_state.completed_at: "yesterday" is not an ISO 8601 time; it is left out',
        'promises[0].status: "mostly" is not known; use complete, partial, incomplete or uncertain; recorded as uncertain',
        'issues[0].severity: "spicy" is not known; use blocking, should_fix or advisory; recorded as should_fix',
      ])
    })

    test('a report may be a text, with its JSON in a fenced block between prose', async () => {
      const text = `Here is my verdict:\n\n\`\`\`json\n${JSON.stringify(coach)}\n\`\`\`\nThank you.`
      const stored = await client().captureReports({
        ...scope,
        playerReport: JSON.stringify(player),
        coachReport: text,
      })
      expect(stored).toMatchObject({ playerSummary: 'Built the page', coachDecision: 'approved' })
      expect(stored.warnings).toEqual([
        'coach_report: holds text around its JSON; the last fenced block of it is read',
      ])
    })

    test('a report of another turn or task, and keys without a place, are named', async () => {
      const { warnings, turnNumber } = await client().captureReports({
        ...scope,
        playerReport: { ...player, turn: 2, mood: 'good' },
        coachReport: { ...coach, task_id: 'TASK-9' },
      })
      expect(turnNumber).toBe(1)
      expect(warnings).toEqual([
        'player_report: has keys without a place in a turn, which are not used: mood',
        'turn_number: the player report says 2; the request says 1, which counts',
        `task_id: the coach report says "TASK-9"; the request says "${TASK}", which counts`,
      ])
    })

    test('the feedback that the Player got is kept, as text too', async () => {
      const given = { raw_feedback: 'Add a test' }
      for (const [i, coachFeedback] of [given, 'Add a test', JSON.stringify(given)].entries())
        expect(
          await client().captureReports({
            ...scope,
            turnNumber: i + 1,
            turnState: { player_summary: 'x' },
            coachFeedback,
          }),
        ).toMatchObject({ deliveredFeedback: 'Add a test', warnings: [] })
    })

    test('the feature is that of the request, otherwise of the turn state, otherwise unknown', async () => {
      const turnState = { feature_id: 'FEAT-S', player_summary: 'x' }
      const nameless = { featureId: '', taskId: 'TASK-S', turnNumber: 1 }
      expect(await client().captureReports({ ...nameless, turnState })).toMatchObject({ featureId: 'FEAT-S' })
      const unknown = await client().captureReports({ ...nameless, taskId: 'TASK-U', playerReport: player })
      expect(unknown.featureId).toBe('FEAT-UNKNOWN')
    })

    test('without a usable report nothing is stored, and each reason is named', async () => {
      const empty = client().captureReports({ ...scope })
      await expect(empty).rejects.toMatchObject({
        code: 'invalid_request',
        details: { problems: [{ path: 'player_report' }] },
      })
      const unusable = client().captureReports({ ...scope, playerReport: '{"a":', coachReport: [1] })
      await expect(unusable).rejects.toMatchObject({
        details: {
          problems: [
            { path: 'player_report', message: 'is not valid JSON' },
            { path: 'coach_report', message: 'is not a JSON object' },
          ],
        },
      })
      expect(await countsOf(handles.graph)).toEqual({})
    })

    test('secrets in reports are masked, in the record and in warnings', async () => {
      const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`
      const stored = await client().captureReports({
        ...scope,
        playerReport: { ...player, implementation_notes: `Used ${secret}` },
        coachReport: { ...coach, issues: [{ severity: secret, description: `Found ${secret}` }] },
      })
      expect(JSON.stringify(toWire(operations.captureReports.output, stored))).not.toContain(
        secret.slice(4, 20),
      )
      expect(stored.redactions).toBeGreaterThan(0)
    })
  })
}
