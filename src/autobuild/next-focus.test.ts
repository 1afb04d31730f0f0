import { expect, test } from 'vitest'
import { text } from '../core/fields.ts'
import { suggestNextFocus } from './next-focus.ts'

const before = (labels: Record<string, 'verified' | 'rejected' | 'pending'>) =>
  Object.entries(labels).map(([criterionId, state]) => ({
    criterionId,
    key: criterionId,
    text: `The criterion ${criterionId} holds`,
    aliases: [{ label: criterionId, source: 'coach' }],
    state,
  }))

test('the next focus names the actions for blocking issues, and the criteria left', () => {
  expect(
    suggestNextFocus(
      {
        coachDecision: 'feedback',
        issues: [
          { severity: 'advisory', description: 'rename it' },
          { severity: 'must_fix', description: 'it leaks', suggestion: 'seal\nit' },
          { severity: 'critical', description: 'it waits' },
          { severity: 'critical', description: 'it waits' },
        ],
        verifications: [
          { criterionId: 'AC-1', status: 'verified' },
          { criterionId: 'AC-3', status: 'verified', source: 'player' },
          { criterionId: 'AC-4', status: 'rejected' },
        ],
      },
      before({ 'AC-001': 'pending', 'AC-002': 'verified', 'AC-003': 'pending', 'AC-004': 'verified' }),
    ),
  ).toBe('seal it; it waits; Criteria left: AC-003, AC-004')
})

test('without a blocking issue, the next focus names the issues that should be fixed', () => {
  const issues = [
    { severity: 'warning', description: 'it is slow' },
    { severity: 'nit', description: 'a blank line' },
  ]
  expect(suggestNextFocus({ coachDecision: 'needs work', issues }, [])).toBe('it is slow')
})

test('the next focus fits a text of a turn: it leaves out an issue that does not fit, and never cuts one', () => {
  const issues = ['AAA', 'BBB', 'CCC'].map((name) => ({
    severity: 'blocking',
    description: `${name} ${'\u{1f9e9}'.repeat(16_000)}`,
  }))
  const focus = suggestNextFocus({ coachDecision: 'feedback', issues }, before({ 'AC-001': 'pending' }))
  expect(text.safeParse(focus).error).toBeUndefined()
  expect(focus).toBe(`${issues[0]?.description}; Criteria left: AC-001`)
})

test('a turn that is approved, was not judged, or leaves no open work has no next focus', () => {
  const issues = [{ severity: 'blocking', description: 'it leaks' }]
  expect(suggestNextFocus({ coachDecision: 'approved', issues }, [])).toBeNull()
  expect(suggestNextFocus({ coachDecision: 'error', issues }, [])).toBeNull()
  expect(suggestNextFocus({ coachDecision: 'feedback' }, before({ 'AC-001': 'verified' }))).toBeNull()
})

test('criteria left are compared by identity, not by label', () => {
  const [first, second] = before({ 'AC-001': 'rejected', 'AC-002': 'pending' })
  const criteria = [
    { ...first, text: 'An unknown host is retried three times' },
    { ...second, text: 'Every request is logged once' },
  ] as ReturnType<typeof before>
  const judged = (criterionId: string, criterionText: string) =>
    suggestNextFocus(
      {
        coachDecision: 'feedback',
        verifications: [{ criterionId, criterionText, status: 'verified' }],
      },
      criteria,
    )
  expect(judged('AC-001', 'Every request is logged once')).toBe('Criteria left: AC-001')
  const listed = { coachDecision: 'feedback', acceptanceCriteriaStatus: { 'AC-1': 'verified' as const } }
  expect(suggestNextFocus(listed, criteria)).toBe('Criteria left: AC-002')
  expect(judged('AC-002', '**AC-002**: An unknown host is retried three times')).toBe('Criteria left: AC-002')
})
