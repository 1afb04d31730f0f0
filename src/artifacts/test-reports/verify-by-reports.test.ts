import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { verifyByReports } from './verify-by-reports.ts'

const REPORTED = { startedAt: '2026-11-28T10:00:00Z', tree: 'a'.repeat(40), dirty: null }
const CRITERIA = [
  { label: 'AC-001', text: 'It rounds half to even', tests: ['rounds half to even'] },
  { label: 'AC-002', text: 'It refuses text' },
  { label: 'AC-003', text: 'It is fast' },
  { label: 'AC-004', text: 'It is documented' },
  { label: 'AC-005', text: 'It looks well', kind: 'manual' },
]
const tap = (lines: string[]) => [...lines, `1..${lines.length}`].join('\n')
const digest = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

test('each criterion that a test names has a verification with the tests and the digest of the report', async () => {
  const text = tap([
    'ok 1 - rounds half to even',
    'not ok 2 - AC-2 refuses text',
    'ok 3 - AC-3 # SKIP slow',
    'ok 4 - other',
  ])
  const { verifications, summary } = await verifyByReports(
    CRITERIA,
    [{ format: 'tap', text, place: 'a.tap' }],
    REPORTED,
  )
  expect(verifications).toEqual([
    {
      criterionId: 'AC-001',
      criterionText: 'It rounds half to even',
      status: 'verified',
      source: 'command',
      evidence: 'tap report: 1 passed, 0 failed, 0 skipped',
      observation: {
        ...REPORTED,
        report: { format: 'tap', digest: digest(text) },
        tests: [{ name: 'rounds half to even', status: 'passed', durationMs: null }],
      },
    },
    expect.objectContaining({
      criterionId: 'AC-002',
      status: 'rejected',
      evidence: 'tap report: 0 passed, 1 failed, 0 skipped; AC-2 refuses text',
    }),
  ])
  expect(summary).toEqual({
    skipped: [{ criterionId: 'AC-003', tests: ['AC-3'] }],
    unmapped: ['AC-004'],
    unused: 1,
  })
})

test('the tests of a criterion count together from all reports', async () => {
  const texts = [tap(['ok 1 - AC-001 a']), tap(['not ok 1 - AC-001 b'])]
  const reports = texts.map((text, i) => ({ format: 'tap' as const, text, place: `${i}.tap` }))
  const { verifications } = await verifyByReports(CRITERIA, reports, REPORTED)
  expect(verifications).toMatchObject([
    {
      status: 'rejected',
      observation: {
        report: { digest: digest(texts.join('')) },
        tests: [{ name: 'AC-001 b' }, { name: 'AC-001 a' }],
      },
    },
  ])
})

test('an observation has at most 2,000 tests, and the failed ones', async () => {
  const lines = Array.from(
    { length: 2_500 },
    (_, i) => `${i === 2_400 ? 'not ok' : 'ok'} ${i + 1} - AC-001 ${i}`,
  )
  const { verifications } = await verifyByReports(
    CRITERIA,
    [{ format: 'tap', text: tap(lines), place: 'a' }],
    REPORTED,
  )
  expect(verifications[0]?.observation.tests).toHaveLength(2_000)
  expect(verifications[0]?.observation.tests?.[0]).toMatchObject({ name: 'AC-001 2400', status: 'failed' })
})

test('the evidence has no part of a secret that its limit would cut', async () => {
  const secret = `ghp_${'Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zCd7g'}`
  for (const length of [500, 510, 520]) {
    const text = tap(['not ok 1 - AC-2', '  ---', `  message: ${'x'.repeat(length)} ${secret}`, '  ...'])
    const report = { format: 'tap' as const, text: text.replace('1..4', '1..1'), place: 'a.tap' }
    const [verification] = (await verifyByReports(CRITERIA, [report], REPORTED)).verifications
    expect(verification?.evidence).toContain('xxx')
    expect(verification?.evidence).not.toContain(secret.slice(4, 12))
  }
})
