/** Decodes the rows of turns, and assembles their records. */

import * as z from 'zod'
import { canonicalInstant } from '../../core/instants.ts'
import { orderedObject } from '../../core/ordered-json.ts'
import { rowShape } from '../../graph/model/derived.ts'
import { judgeFields, nodes, playerFields, turnFields, verificationFields } from '../../graph/model/nodes.ts'
import { judgeFromProperties, playerFromProperties } from '../../rules/turn-agents.ts'
import { optionalText } from '../../rules/values.ts'
import { observationText } from './observation.ts'
import type { TurnState } from './record.ts'

/** Converts an instant to its canonical form, because the engines print different numbers of zeros. */
export const instantRow = optionalText.transform((value) => (value === null ? null : canonicalInstant(value)))

export const withdrawnRow = z
  .tuple([z.number(), instantRow, optionalText])
  .transform(([turnNumber, withdrawnAt, reason]) => ({ turnNumber, withdrawnAt: withdrawnAt ?? '', reason }))

const stored = nodes.Turn.properties.shape
const counts = {
  verificationCount: stored.verificationCount,
  promiseCount: stored.promiseCount,
  issueCount: stored.issueCount,
  gateCount: stored.gateCount,
}

const { position, form } = nodes.Verification.properties.shape
const verificationRow = z
  .object({
    ...rowShape({ position, form, ...verificationFields }),
    files: z.array(z.string()).nullish(),
    ...rowShape(judgeFields),
    observation: observationText.nullish(),
    addedAt: optionalText,
    addedBy: optionalText,
    startedAt: optionalText,
    additionDigest: optionalText,
  })
  .transform(({ files, observation, addedAt, addedBy, startedAt, additionDigest, ...row }) => {
    const { judgeAgent, judgeModel, judgePromptDigest, ...verification } = row
    return {
      ...verification,
      ...(files != null && { files }),
      ...judgeFromProperties({ judgeAgent, judgeModel, judgePromptDigest }),
      ...(observation != null && { observation }),
      /** Null if the record has the verification; otherwise it was added later. */
      added:
        addedAt === null
          ? null
          : { addedAt, addedBy, startedAt: startedAt ?? addedAt, digest: additionDigest ?? '' },
    }
  })

/** A verification that was added to a turn after its end. */
export const addedRow = verificationRow.transform(({ position, form, added, ...verification }) => ({
  position,
  verification,
  ...(added ?? { addedAt: '', addedBy: null, startedAt: '', digest: '' }),
}))
export const promiseRow = z.object(rowShape(nodes.Promise.properties.omit({ project: true }).shape))
const issueRow = z.object(rowShape(nodes.Issue.properties.omit({ project: true, signature: true }).shape))

/** Turn with its parts, as returned by `turns/records` and `turns/context`. */
export const turnWithParts = z.object({
  turn: z.object({
    key: stored.key,
    id: stored.id,
    number: stored.number,
    digest: stored.digest,
    ...rowShape(turnFields),
    ...rowShape(judgeFields),
    ...rowShape(playerFields),
    ...counts,
  }),
  verifications: z.array(verificationRow),
  promises: z.array(promiseRow),
  issues: z.array(issueRow),
  gates: z.array(nodes.Gate.properties.omit({ project: true }).strip()),
})

export type TurnWithParts = z.output<typeof turnWithParts>

type Counts = Pick<TurnWithParts['turn'], keyof typeof counts>
type Parts = { [part in 'verifications' | 'promises' | 'issues' | 'gates']: readonly unknown[] }

/** False if the reader saw only half of a commit. */
export const isWhole = ({ turn, ...parts }: { turn: Counts } & Parts): boolean =>
  turn.verificationCount === parts.verifications.length &&
  turn.promiseCount === parts.promises.length &&
  turn.issueCount === parts.issues.length &&
  turn.gateCount === parts.gates.length

export type WorldScope = { project: string; featureId: string; taskId: string; worldSlug: string }

export function toTurnState(row: TurnWithParts, scope: WorldScope): TurnState {
  const {
    number: turnNumber,
    digest,
    verificationCount,
    promiseCount,
    issueCount,
    gateCount,
    judgeAgent,
    judgeModel,
    judgePromptDigest,
    playerAgent,
    playerModel,
    ...turn
  } = row.turn
  const said = inOrder(row.verifications.filter(({ added }) => added === null))
  // In an object literal, each property after a spread of 40 others would take 2 µs.
  return Object.assign({}, turn, {
    project: scope.project,
    featureId: scope.featureId,
    taskId: scope.taskId,
    worldSlug: scope.worldSlug,
    turnNumber,
    usage: jsonFrom(turn.usage),
    extra: jsonFrom(turn.extra) ?? {},
    acceptanceCriteriaStatus: orderedObject(
      said.flatMap(({ form, criterionId, status }) =>
        form === 'status' ? [[criterionId, status] as const] : [],
      ),
    ),
    verifications: said.flatMap(({ form, added, ...verification }) =>
      form === 'entry' ? [verification] : [],
    ),
    promises: inOrder(row.promises),
    issues: issuesFrom(row.issues),
    gates: gatesFrom(row.gates),
    ...judgeFromProperties({ judgeAgent, judgeModel, judgePromptDigest }),
    ...playerFromProperties({ playerAgent, playerModel }),
  })
}

export const issuesFrom = (rows: TurnWithParts['issues']): TurnState['issues'] =>
  inOrder(rows).map(({ details, ...issue }) => ({ ...issue, details: jsonFrom(details) }))

export const gatesFrom = (rows: TurnWithParts['gates']): TurnState['gates'] =>
  orderedObject(inOrder(rows).map(({ name, status }) => [name, status] as const))

const jsonFrom = (text: string | null) => (text === null ? null : JSON.parse(text))

const inOrder = <R extends { position: number }>(rows: readonly R[]): Omit<R, 'position'>[] =>
  rows.toSorted((a, b) => a.position - b.position).map(({ position, ...part }) => part)
