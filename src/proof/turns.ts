/** Makes the turns of a proof, and reads the turns of a world back. */
import { isDeepStrictEqual } from 'node:util'
import type { TurngraphClient } from '../client/client.ts'
import { everyItem } from '../core/pages.ts'
import type { OperationOutput } from '../operations/table.ts'
import { requireThat } from './guarantee.ts'
import type { TurnToSend } from './trial.ts'

type StoredTurn = OperationOutput<'getTurn'>

export const FEATURE = 'FEAT-PROOF'
const FIRST_TURN_AT = Date.UTC(2026, 0, 1)

const criterion = (number: number) => ({
  criterionId: `AC-00${number}`,
  criterionText: `Criterion ${number} of the proof holds for every input`,
})

/** A turn with parts of every kind, each with a text that only it has. */
export const proofTurn = (project: string, taskId: string, turnNumber: number): TurnToSend => ({
  project,
  featureId: FEATURE,
  taskId,
  worldSlug: taskId,
  turnNumber,
  playerSummary: `Work of turn ${turnNumber} of ${taskId}`,
  playerDecision: 'implemented',
  coachDecision: 'feedback',
  coachFeedback: `Feedback on turn ${turnNumber} of ${taskId}`,
  completedAt: new Date(FIRST_TURN_AT + turnNumber * 60_000).toISOString(),
  verifications: [1, 2, 3].map((number) => ({
    ...criterion(number),
    status: number === turnNumber % 4 ? ('verified' as const) : ('rejected' as const),
    evidence: `Seen in turn ${turnNumber} of ${taskId}, place ${number}`,
  })),
  promises: [{ ...criterion(1 + (turnNumber % 3)), status: 'complete' as const }],
  issues: [{ severity: 'blocking', description: `Turn ${turnNumber} of ${taskId} leaves a gap` }],
  gates: { tests: turnNumber % 2 === 0 ? 'passed' : 'failed' },
})

export const proofTurns = (project: string, taskId: string, count: number): TurnToSend[] =>
  Array.from({ length: count }, (_, i) => proofTurn(project, taskId, i + 1))

/** Every turn of a world, page by page. */
export async function readTurns(
  client: TurngraphClient,
  project: string,
  worldSlug: string,
): Promise<StoredTurn[]> {
  const turns: StoredTurn[] = []
  const items = everyItem((cursor) => client.listTurns({ project, worldSlug, cursor }))
  for await (const turn of items) turns.push(turn)
  return turns
}

/** @throws BrokenGuarantee where a stored turn lacks something that was sent */
export function requireWhole(sent: TurnToSend, stored: StoredTurn | undefined): void {
  requireThat(stored !== undefined, `turn ${sent.turnNumber} was acknowledged and is not there`)
  const isWhole =
    stored.playerSummary === sent.playerSummary &&
    stored.coachFeedback === sent.coachFeedback &&
    isDeepStrictEqual(
      stored.verifications.map(({ criterionText, status, evidence }) => [criterionText, status, evidence]),
      sent.verifications?.map(({ criterionText, status, evidence }) => [criterionText, status, evidence]),
    ) &&
    isDeepStrictEqual(
      stored.promises.map(({ criterionText }) => criterionText),
      sent.promises?.map(({ criterionText }) => criterionText),
    ) &&
    isDeepStrictEqual(
      stored.issues.map(({ description }) => description),
      sent.issues?.map(({ description }) => description),
    ) &&
    isDeepStrictEqual({ ...stored.gates }, { ...sent.gates })
  requireThat(isWhole, `turn ${sent.turnNumber} is not stored as it was acknowledged`, { sent, stored })
}
