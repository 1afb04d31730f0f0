import { expect, test } from 'vitest'
import { groupVerdicts } from './changed-verdicts.ts'

const one = (label: string, basis: 'repeated' | 'observed' | null = null) => ({
  criterion_id: label,
  key: `key ${label}`,
  text: `text of ${label}`,
  basis,
})

const verdict = (label: string, status: 'verified' | 'rejected' | 'unknown', more: object = {}) => ({
  ...{ criterion_id: label, key: `key ${label}`, status, source: 'coach' as const, evidence: 'because' },
  ...more,
})

const claim = (label: string) => ({
  ...{ criterion_id: label, label, given_label: label, key: `key ${label}`, status: 'complete' as const },
  ...{ criterion_text: `text of ${label}`, evidence: 'done', evidence_type: null, confidence: null },
  ...{ test_file: null, implementation_files: [] },
})

const observed_on = { tree: null, dirty: null, commit: null, at: '2026-05-04T08:00:00Z' }

test('changed criteria come first, those that lost a proof before the others, each with claim, verdict and observation', () => {
  const { changed, others } = groupVerdicts(
    {
      won: [one('A', 'observed')],
      lost: [one('B'), one('C')],
      rejected: [
        { ...one('B'), kind: 'lost' },
        { ...one('D'), kind: 'new' },
        { ...one('E'), kind: 'again' },
      ],
      verdicts: [
        verdict('A', 'verified'),
        verdict('A', 'verified', { source: 'command', observed_on }),
        verdict('B', 'rejected'),
        verdict('F', 'unknown'),
        verdict('G', 'verified', { source: 'player' }),
      ],
    },
    { source: 'current', items: [claim('A')] },
  )
  expect(changed.map(({ label, change }) => `${label}: ${change}`)).toEqual([
    'B: verified before, rejected now',
    'C: verified before, left open now',
    'D: rejected',
    'A: now verified',
  ])
  const [, , , won] = changed
  expect(won).toMatchObject({ known: 'observed', claims: [{ evidence: 'done' }] })
  expect([won?.judged.length, won?.seen.length]).toEqual([1, 1])
  expect(others.map(({ label, change, state }) => [label, change, state])).toEqual([
    ['E', 'rejected again', 'rejected'],
    ['F', null, 'unknown'],
  ])
})

test('a promise of an earlier turn is no claim of this one', () => {
  const why = { won: [one('A', 'repeated')], lost: [], rejected: [], verdicts: [verdict('A', 'verified')] }
  const { changed } = groupVerdicts(why, { source: 'recovered', items: [claim('A')] })
  expect(changed.map(({ claims, known }) => [claims, known])).toEqual([[[], "in the Player's words"]])
})
