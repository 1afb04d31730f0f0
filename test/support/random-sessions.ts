import fc from 'fast-check'

const STATUSES = ['verified', 'rejected', 'unknown'] as const
export const CRITERIA = [
  'It answers with 404',
  'It answers with 404 if nobody is there',
  'A restart loses nothing',
  'The log has every request',
]

/** Few criteria and labels, so that records name the same ones by text, by label alone and under shifted labels. */
export const anyRecord = fc.record({
  playerSummary: fc.constantFrom('Wrote sumPrices in src/till.ts', 'Rounded it', 'Mocked the clock'),
  coachDecision: fc.constantFrom('feedback', 'approved', 'error', 'deferred'),
  coachFeedback: fc.constantFrom('Round it', 'Test zero'),
  lessonsFromTurn: fc.subarray(['Await it', 'Close the pool']),
  filesModified: fc.subarray(['src/till.ts', 'src/sum.ts']),
  filesSource: fc.constantFrom(null, null, 'git' as const),
  gates: fc.constantFrom({}, { tests: 'failed' as const }),
  issues: fc
    .subarray([
      '`sumPrices` fails in src/till.ts',
      '`roundUp` is missing in src/sum.ts',
      'git status shows no change for src/till.ts',
    ])
    .map((found) => found.map((description) => ({ severity: 'blocking', description }))),
  acceptanceCriteriaStatus: fc.constantFrom(
    {},
    { 'AC-1': 'rejected' },
    { 'AC-2': 'verified', 'AC-3': 'rejected' },
  ),
  verifications: fc.array(
    fc.record({
      criterionId: fc.constantFrom('AC-1', 'AC-2', 'AC-3'),
      criterionText: fc.constantFrom(null, ...CRITERIA),
      status: fc.constantFrom(...STATUSES),
      evidence: fc.constantFrom('Seen in src/till.ts', ''),
      source: fc.constantFrom('coach' as const, 'validator' as const),
    }),
    { maxLength: 3 },
  ),
  promises: fc.array(
    fc.record({
      criterionId: fc.constantFrom('AC-1', 'AC-2', 'AC-4', 'A4'),
      criterionText: fc.constantFrom(null, ...CRITERIA, 'It is fast', 'AC-9: It is small'),
      status: fc.constantFrom('complete', 'partial'),
      implementationFiles: fc.subarray(['src/till.ts', 'src/sum.ts']),
    }),
    { maxLength: 2 },
  ),
})

/** A turn of the session, and the record that replaces that of an earlier turn after it. */
export const anyStep = fc.record({
  record: anyRecord,
  amended: fc.option(fc.record({ back: fc.nat(2), record: anyRecord }), { nil: null }),
  isSpecified: fc.constantFrom(false, false, false, true),
})
