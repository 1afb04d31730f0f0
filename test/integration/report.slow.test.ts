import { expect, test } from 'vitest'
import { renderReport } from '#report'
import { readProjectReport, readSessionReport } from '../../src/cli/report/read-report.ts'
import { memory } from '../support/engines.ts'
import { aTurn, clientOf, PROJECT, TASK, type TurnToSend } from '../support/records.ts'

/** A text of more than 2,000 letters that begins with its name. */
const long = (what: string): string => `${what} ${'letters '.repeat(262)}`

const LABELS = ['AC-001', 'AC-002', 'AC-003']

const longTurn = (turnNumber: number, more: Partial<TurnToSend> = {}): TurnToSend =>
  aTurn(turnNumber, {
    playerSummary: long(`summary ${turnNumber}`),
    coachFeedback: long(`feedback ${turnNumber}`),
    whatToTryNext: long(`next ${turnNumber}`),
    verifications: LABELS.map((criterionId) => ({
      criterionId,
      status: 'verified',
      evidence: long(`evidence ${turnNumber} ${criterionId}`),
    })),
    promises: LABELS.map((criterionId) => ({
      criterionId,
      status: 'complete',
      evidence: long(`promise ${turnNumber} ${criterionId}`),
    })),
    ...more,
  })

/** Creates issues that differ in letters, because issues that differ only in a number count as one. */
const named = (count: number, what: string) =>
  Array.from({ length: count }, (_, i) => `${what} ${letter(i / 26)}${letter(i)}`)
const letter = (i: number): string => String.fromCharCode('a'.charCodeAt(0) + (Math.floor(i) % 26))

test('a session with too much content for a file is cut, and the report lists the omissions', {
  timeout: 300_000, // 205 turns with 4 MB of text are searched for secrets
}, async () => {
  const graph = await memory.open()
  const client = clientOf(graph)
  for (let number = 1; number <= 203; number++) await client.captureTurnState(longTurn(number))
  await client.captureTurnState(
    longTurn(204, {
      issues: named(210, 'Complaint').map((description) => ({ severity: 'minor', description })),
    }),
  )
  await client.captureTurnState(
    aTurn(205, {
      verifications: named(207, 'CRITERION').map((criterionId) => ({ criterionId, status: 'rejected' })),
    }),
  )
  const html = renderReport(await readSessionReport(client, PROJECT, TASK, 'coach'))
  await graph.close()
  expect(html.length).toBeLessThan(16_000_000)
  for (const [what, count] of [
    ['older turns', 5],
    ['rows of the matrix', 10],
    ['issues that are gone', 10],
  ]) {
    expect(html).toContain(`Left out, ${what}: ${count}.`)
  }
  expect(html).toMatch(/Left out, records of older turns: [1-9]\d*\./)
  expect(html).toMatch(/Left out, older cells with their evidence: [1-9]\d*\./)
  expect(html).toMatch(/Left out, ends of long texts: [1-9]\d*\./)
  expect(html).toContain('turngraph worlds turns TASK-1 --project shop --json')
  expect(html).toContain('aria-label="AC-001, turn 6: verified"')
  expect(html).not.toContain('AC-001, turn 5: ')
  expect(html).toContain('evidence 204 AC-003 letters')
  expect(html).not.toContain('evidence 6 AC-003')
  expect(html).not.toContain('letters '.repeat(261))
})

test('a project with too many sessions for a file lists them all, and contains the most recently active ones in full', async () => {
  const graph = await memory.open()
  const client = clientOf(graph)
  const second = (i: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, i)).toISOString()
  for (let i = 1; i <= 53; i++)
    await client.captureTurnState(aTurn(1, { taskId: `TASK-${i}`, completedAt: second(i) }))
  const html = renderReport(await readProjectReport(client, PROJECT, 'player'))
  await graph.close()
  expect(html.match(/<article /g)).toHaveLength(50)
  expect(html).toContain('<a href="#s0"><bdi>TASK-53</bdi></a>')
  expect(html).toContain('<span><bdi>TASK-3</bdi></span>')
  expect(html).toContain('In the list alone, the least active: 3 sessions.')
})
