// Sessions for screenshots and for tests of the page: tasks of a shop that succeeded, failed, or are in
// progress.
import type { TurngraphClient } from '../../src/client/client.ts'
import type { OperationInput } from '../../src/operations/table.ts'

type TurnToSend = OperationInput<'captureTurnState'>
type Status = 'verified' | 'rejected' | 'unknown'

export const PROJECT = 'shop'

/** The session in the pictures of a single session. */
export const MAIN_SESSION = 'TASK-TOTALS'

const CRITERIA = [
  'The total of a cart is the sum of its lines, each rounded to a cent',
  'A discount code lowers the total once, and never below zero',
  'Shipping is free from 50 € on, after discounts',
  'Prices of a line are frozen when the order is placed',
  'Taxes are shown by rate, and their sum is that of the lines',
  'An empty cart has no total and cannot be ordered',
  'Rounding is tried with 1,000 random carts against a decimal library',
] as const

const FILES = ['src/cart/total.ts', 'src/cart/discount.ts', 'src/cart/shipping.ts', 'test/cart/total.test.ts']

const criterion = (i: number) => ({
  criterionId: `AC-00${i + 1}`,
  criterionText: CRITERIA[i] ?? '',
})

const EVIDENCE: Record<Status, string> = {
  verified: 'Ran the tests of this criterion, and read the code behind them: they assert what it asks for.',
  rejected: 'The test passes with an empty cart only; with two lines the total is a cent too low.',
  unknown: 'No test names it, and the code is not reached by any that runs.',
}

/** Makes verifications, one mark per criterion: `v` verified, `r` rejected, `u` unknown. Others: not judged. */
const judged = (marks: string): NonNullable<TurnToSend['verifications']> =>
  [...marks].flatMap((mark, i) => {
    const status = ({ v: 'verified', r: 'rejected', u: 'unknown' } as const)[mark]
    if (status === undefined) return []
    return [
      {
        ...criterion(i),
        status,
        evidence: EVIDENCE[status],
        files: status === 'verified' ? [FILES[i % 4] ?? ''] : [],
      },
    ]
  })

const promised = (ids: readonly number[]): NonNullable<TurnToSend['promises']> =>
  ids.map((i) => ({
    ...criterion(i),
    status: 'complete' as const,
    evidence: `Added to ${FILES[i % 4]}, with a test`,
    testFile: 'test/cart/total.test.ts',
    implementationFiles: [FILES[i % 4] ?? ''],
  }))

type Round = Partial<TurnToSend> & { marks: string; promises?: never; promise?: readonly number[] }

const DAY = Date.UTC(2026, 4, 4, 8)

async function play(
  client: TurngraphClient,
  { featureId, taskId, day }: { featureId: string; taskId: string; day: number },
  rounds: readonly Round[],
): Promise<void> {
  for (const [i, { marks, promise, ...round }] of rounds.entries()) {
    const start = DAY + day * 86_400_000 + i * 11 * 60_000
    await client.captureTurnState({
      project: PROJECT,
      featureId,
      taskId,
      turnNumber: i + 1,
      playerSummary: `Worked on ${taskId.toLowerCase()}, round ${i + 1}`,
      startedAt: new Date(start).toISOString(),
      completedAt: new Date(start + (5 + ((i * 3) % 5)) * 60_000).toISOString(),
      durationSeconds: (5 + ((i * 3) % 5)) * 60,
      verifications: judged(marks),
      ...(promise !== undefined && { promises: promised(promise) }),
      ...round,
    })
  }
}

const issue = (description: string, criterionIds: string[], suggestion: string) => ({
  severity: 'blocking' as const,
  category: 'tests',
  description,
  criterionIds,
  suggestion,
})

const roundingIssue = issue(
  'The total of two discounted lines is a cent too low: each line is rounded down',
  ['AC-001'],
  'Round half up, on the line and not on the sum',
)
const shippingIssue = issue(
  'Free shipping is granted before the discount is taken off',
  ['AC-003'],
  'Compare the total after discounts with 50 €',
)

/** The id of the transcript in the first turn of that session. */
export const TRANSCRIPT = '5a0b7c11-3d52-4f6e-9a41-0c8d2e6f1a01'

/** Fills an empty graph. */
export async function writeSessions(client: TurngraphClient): Promise<void> {
  await play(client, { featureId: 'FEAT-CHECKOUT', taskId: MAIN_SESSION, day: 0 }, [
    {
      marks: 'rr.u..u',
      promise: [0, 1, 3],
      coachDecision: 'feedback',
      coachFeedback: 'A good start. The total is a cent too low with two lines, and nothing tests discounts.',
      playerSummary: 'Wrote the total of a cart and a first test',
      issues: [roundingIssue],
      gates: { tests: 'failed', build: 'passed', coverage: 'failed' },
      testsPassed: 14,
      testsFailed: 3,
      coverage: 61,
      filesModified: FILES.slice(0, 2),
      whatToTryNext: 'Round half up, on the line and not on the sum',
      transcriptSessionIds: [TRANSCRIPT],
    },
    {
      marks: 'vvr.u..',
      promise: [0, 1, 2],
      coachDecision: 'feedback',
      coachFeedback: 'Totals and discounts hold now. Shipping looks at the total before the discount.',
      playerSummary: 'Rounds half up on each line; discounts never go below zero',
      issues: [shippingIssue],
      gates: { tests: 'failed', build: 'passed', coverage: 'passed' },
      testsPassed: 22,
      testsFailed: 1,
      coverage: 78,
      filesModified: FILES.slice(0, 3),
      lessonsFromTurn: ['Money is counted in cents, and rounded once'],
    },
    {
      marks: '..vv.v.',
      promise: [2, 3, 5],
      coachDecision: 'feedback',
      coachFeedback: 'Nearly there: nothing shows the taxes by rate.',
      playerSummary: 'Free shipping after discounts; orders freeze their prices',
      issues: [issue('Taxes are one sum, and not by rate', ['AC-005'], 'Group the lines by their rate')],
      gates: { tests: 'passed', build: 'passed', coverage: 'passed' },
      testsPassed: 31,
      testsFailed: 0,
      coverage: 84,
      filesModified: FILES.slice(2),
    },
    {
      marks: '.r..vv.',
      promise: [4],
      coachDecision: 'feedback',
      coachFeedback: 'Taxes are right. A second discount code lowers the total twice since this turn.',
      playerSummary: 'Taxes by rate',
      issues: [issue('A second discount code is taken off too', ['AC-002'], 'Keep the better of the two')],
      gates: { tests: 'failed', build: 'passed', coverage: 'passed' },
      testsPassed: 33,
      testsFailed: 1,
      coverage: 86,
      filesModified: ['src/cart/tax.ts', 'src/cart/discount.ts'],
    },
    {
      marks: '.v.....',
      promise: [1, 6],
      coachDecision: 'feedback',
      coachFeedback: 'Discounts hold again. The random carts of AC-007 are promised and nowhere to be found.',
      playerSummary: 'Keeps the better of two codes; random carts to follow',
      issues: [issue('No test tries random carts', ['AC-007'], 'fast-check and a decimal library')],
      gates: { tests: 'passed', build: 'passed', coverage: 'passed' },
      testsPassed: 35,
      testsFailed: 0,
      coverage: 88,
      filesModified: ['src/cart/discount.ts'],
    },
  ])
  const outcomes: Record<string, string[]> = {
    'TASK-LOGIN': ['feedback', 'approved'],
    'TASK-SEARCH': ['feedback', 'feedback', 'feedback', 'feedback'],
    'TASK-INVOICE': ['feedback', 'error', 'feedback', 'feedback', 'approved'],
    'TASK-EXPORT': ['rejected', 'feedback', 'feedback', 'approved'],
    'TASK-STOCK': ['feedback'],
    'TASK-REFUND': ['feedback', 'rejected', 'feedback', 'error', 'feedback', 'approved'],
  }
  for (const [day, [taskId, decisions]] of Object.entries(outcomes).entries()) {
    const isStuck = taskId === 'TASK-SEARCH'
    const rounds = decisions.map((decision, i): Round => {
      const proven = isStuck ? 1 : decision === 'approved' ? 4 : Math.min(3, i + 1)
      return {
        marks: 'v'.repeat(proven) + 'r'.repeat(4 - proven),
        coachDecision: decision as 'feedback',
        testsPassed: 10 + 4 * i,
        testsFailed: decision === 'approved' ? 0 : 2,
        ...(decision !== 'approved' && { issues: [isStuck ? shippingIssue : roundingIssue] }),
        gates: { tests: decision === 'approved' ? 'passed' : 'failed', build: 'passed' },
      }
    })
    const featureId = day % 2 === 0 ? 'FEAT-ACCOUNT' : 'FEAT-BACKOFFICE'
    await play(client, { featureId, taskId, day: -1 - day }, rounds)
  }
}

/** Writes a session of many turns and many criteria: 200 × 60 fill the matrix. */
export async function writeLargeSession(
  client: TurngraphClient,
  { turns, criteria, project = PROJECT }: { turns: number; criteria: number; project?: string },
): Promise<string> {
  const worldSlug = `LARGE-${turns}x${criteria}`
  const statuses: readonly Status[] = ['verified', 'rejected', 'unknown']
  for (let turn = 1; turn <= turns; turn++) {
    await client.captureTurnState({
      project,
      featureId: 'FEAT-LARGE',
      taskId: worldSlug,
      worldSlug,
      turnNumber: turn,
      playerSummary: `Round ${turn}`,
      coachDecision: turn === turns ? 'approved' : 'feedback',
      completedAt: new Date(DAY + turn * 60_000).toISOString(),
      verifications: Array.from({ length: criteria }, (_, i) => ({
        criterionId: `AC-${String(i + 1).padStart(3, '0')}`,
        criterionText: `Part ${i + 1} of the protocol answers as its page of the specification says`,
        status: statuses[(turn * 7 + i * 3) % 3] ?? 'unknown',
      })),
    })
  }
  return worldSlug
}

const MARKUP = '<img src=x onerror=alert(1)><script>alert(2)</script>'
const HOSTILE = `${MARKUP} [a link](javascript:alert(3)) \u202Eback to front\u202C z\u200Bero\uFEFF ${'😀𝒳'} ${'w'.repeat(20_000)}`
const HOSTILE_NAME = '"><b>x😀'

/** Writes a session in which every text contains markup or code. */
export async function writeHostileSession(client: TurngraphClient): Promise<string> {
  const worldSlug = `${encodeURIComponent(HOSTILE_NAME)}~w`
  for (const turnNumber of [1, 2]) {
    await client.captureTurnState({
      project: PROJECT,
      featureId: `${HOSTILE_NAME}f`,
      taskId: `${HOSTILE_NAME}t`,
      worldSlug,
      turnNumber,
      playerSummary: HOSTILE,
      coachDecision: 'feedback',
      coachFeedback: HOSTILE,
      progressSummary: HOSTILE,
      whatToTryNext: HOSTILE,
      blockersFound: [HOSTILE],
      lessonsFromTurn: [HOSTILE],
      filesModified: [HOSTILE],
      commit: MARKUP,
      gates: { [MARKUP]: 'failed' },
      transcriptSessionIds: [HOSTILE_NAME],
      verifications: [
        {
          criterionId: HOSTILE_NAME,
          criterionText: HOSTILE,
          status: 'rejected',
          evidence: HOSTILE,
          files: [HOSTILE],
        },
      ],
      promises: [
        {
          criterionId: HOSTILE_NAME,
          criterionText: HOSTILE,
          status: 'complete',
          evidence: HOSTILE,
          testFile: HOSTILE,
        },
      ],
      issues: [{ severity: 'blocking', category: MARKUP, description: HOSTILE, suggestion: HOSTILE }],
      extra: { [MARKUP]: HOSTILE },
    })
  }
  return worldSlug
}

/** Runs a turn run of three turns with one failed attempt. Returns when the run has ended. */
export async function writeRun(client: TurngraphClient): Promise<void> {
  const worldSlug = 'TASK-STOCK.2'
  const place = { project: PROJECT, featureId: 'FEAT-ACCOUNT', taskId: 'TASK-STOCK' }
  await client.createWorld({ ...place, worldSlug, executor: 'simulated' })
  const { turnRunId = '' } = await client.runTurn({ worldSlug, turnCount: 3, maxAttempts: 5 })
  for (let endedAt: string | null = null; endedAt === null; ) {
    await new Promise((resolve) => setTimeout(resolve, 200))
    const run = await client.getTurnRunStatus({ turnRunId })
    endedAt = run.endedAt
  }
}
