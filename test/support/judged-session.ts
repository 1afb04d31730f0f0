import type { TurnToSend } from './records.ts'
import { aTurn } from './records.ts'

/** A session whose stall has a reason. Each text that only the Coach may see names its field. */
export const JUDGED_WORLD = 'JUDGED'
export const CANARY = /CANARY-[\w-]+/g

/** All of these texts except those that no view shows: in `extra` and in an issue's `details`. */
export const SHOWN_TO_COACH = [
  'CANARY-verified',
  'CANARY-rejected',
  'CANARY-contested',
  'CANARY-gate-verdict',
  'CANARY-command',
  'CANARY-claim',
  'CANARY-promise',
  'CANARY-gate-failed',
  'CANARY-gate-passed',
  'CANARY-proof.ts',
]

const turn = (number: number, more: Partial<TurnToSend>): TurnToSend =>
  aTurn(number, {
    taskId: 'TASK-JUDGED',
    worldSlug: JUDGED_WORLD,
    playerSummary: `What the Player did in turn ${number}`,
    coachFeedback: `What the Coach told the Player in turn ${number}`,
    extra: { note: 'CANARY-extra' },
    gates: { 'CANARY-gate-failed': 'failed', 'CANARY-gate-passed': 'passed' },
    issues: [
      { severity: 'blocking', description: 'The same complaint', details: { seen: 'CANARY-details' } },
    ],
    ...more,
  })

/** Every form in which a judge states a reason. */
export const judgedTurns = (): TurnToSend[] => [
  turn(1, {
    verifications: [
      {
        criterionId: 'AC-001',
        criterionText: 'The total is right',
        status: 'verified',
        evidence: 'CANARY-verified',
        files: ['src/CANARY-proof.ts'],
      },
      {
        criterionId: 'AC-002',
        criterionText: 'It fails well',
        status: 'rejected',
        source: 'validator',
        evidence: 'CANARY-rejected',
      },
      { criterionId: 'AC-003', status: 'rejected', source: 'gate', evidence: 'CANARY-gate-verdict' },
      { criterionId: 'AC-003', status: 'unknown', source: 'command', evidence: 'CANARY-command' },
      { criterionId: 'AC-003', status: 'verified', source: 'player', evidence: 'CANARY-claim' },
    ],
    promises: [
      {
        criterionId: 'AC-002',
        criterionText: 'It fails well',
        status: 'complete',
        evidence: 'CANARY-promise',
      },
    ],
  }),
  turn(2, {
    verifications: [{ criterionId: 'AC-001', status: 'rejected', evidence: 'CANARY-contested' }],
  }),
  ...[3, 4].map((number) =>
    turn(number, {
      verifications: [
        {
          criterionId: 'AC-002',
          criterionText: 'It fails well',
          status: 'rejected',
          evidence: 'CANARY-rejected',
        },
      ],
    }),
  ),
]
