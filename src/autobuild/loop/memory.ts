import type { TurngraphClient } from '../../client/client.ts'
import type { Role, ShownCriterion } from '../../criteria/shown.ts'
import { isAway, type TurngraphError } from '../../errors.ts'
import { renderContext } from '../../turns/budget.ts'
import {
  type CriterionStatus,
  SEVERITIES,
  toCoachDecision,
  toPlayerDecision,
  toSeverity,
} from '../../turns/record.ts'
import type { Rendering } from '../../turns/render.ts'
import type { GivenContext } from './events.ts'
import type { RoundRecord } from './halves.ts'

export type MemoryOptions = {
  client: TurngraphClient
  target: { project?: string | null | undefined; featureId: string; taskId: string }
  tokenBudget: number
  /** Turns in which the Player does not see what the Coach said before. */
  perspectiveResetTurns: readonly number[]
  /** False: agents begin every turn blind. */
  on: boolean
}

/** A turn of this process, or of its spool. */
export type TurnInHand = { turnNumber: number; record: Partial<RoundRecord> & { playerSummary: string } }

/** More of them would not fit a prompt. */
const IN_HAND = 3
const LEAST_TOKENS = 100

/**
 * What agents are told of the turns before. While the memory is away that is what it last said, and the turns that this
 * process still has in hand; it is never nothing: empty is not dark (invariant 4).
 */
export class Memory {
  readonly #options: MemoryOptions
  readonly #lastKnown = new Map<Role, { turn: number; text: string | null }>()
  #inHand: TurnInHand[] = []

  constructor(options: MemoryOptions) {
    this.#options = options
  }

  /** The newest turn that is known here. */
  get newest(): TurnInHand | null {
    return this.#inHand.at(-1) ?? null
  }

  /** Decisions of the turn before, in the words of the record. */
  get prior(): { playerDecision: string; coachDecision: string } | null {
    if (this.newest === null) return null
    const { playerDecision, coachDecision } = this.newest.record
    return {
      playerDecision: toPlayerDecision(playerDecision ?? ''),
      coachDecision: toCoachDecision(coachDecision ?? ''),
    }
  }

  keep(turn: TurnInHand): void {
    this.#inHand = [...this.#inHand, turn].slice(-IN_HAND)
  }

  async contextFor(role: Role, turn: number, worldSlug: string | null): Promise<GivenContext> {
    const { client, target, tokenBudget, on } = this.#options
    if (!on) return { status: 'off', context: null, continuation: null }
    try {
      const continuation = await client.loadTurnContinuationContext({
        ...target,
        worldSlug,
        currentTurn: turn,
        role,
        tokenBudget,
        perspectiveReset: this.#resets(role, turn),
      })
      const { status, context } = continuation
      this.#lastKnown.set(role, { turn, text: context })
      return { status, context, continuation }
    } catch (error) {
      if (!isAway(error)) throw error
      return this.#withoutMemory(role, turn, error)
    }
  }

  async #withoutMemory(role: Role, turn: number, error: TurngraphError): Promise<GivenContext> {
    const known = this.#lastKnown.get(role) ?? null
    const since = this.#inHand.filter(({ turnNumber }) => turnNumber >= (known?.turn ?? 0))
    const budget = Math.max(LEAST_TOKENS, Math.floor(this.#options.tokenBudget / Math.max(1, since.length)))
    const summaries = await Promise.all(
      since.toReversed().map((inHand) => summaryOf(inHand, role, budget, this.#resets(role, turn))),
    )
    const texts = [
      noticeFor(turn, known?.turn ?? null, error),
      ...summaries,
      ...(known?.text == null ? [] : [known.text]),
    ]
    return {
      status: known === null ? 'dark' : 'last_known',
      context: texts.join('\n\n'),
      continuation: null,
    }
  }

  #resets = (role: Role, turn: number): boolean =>
    role === 'player' && this.#options.perspectiveResetTurns.includes(turn)
}

/** What stands first in a context without the memory. */
export function noticeFor(turn: number | null, knownTurn: number | null, error: TurngraphError): string {
  const is = turn === null ? '' : ` This is turn ${turn}.`
  const known =
    knownTurn === null
      ? 'What was tried and verified before is not known here: do not take this for a first turn, and look at the code and its tests before you change anything.'
      : `What follows was known before turn ${knownTurn}, with the turns since that are at hand. What was verified stays verified.`
  return `**Memory unavailable** (${error.code}).${is} ${known}`
}

async function summaryOf(
  { turnNumber, record }: TurnInHand,
  role: Role,
  tokenBudget: number,
  reset: boolean,
): Promise<string> {
  const criteria = criteriaOf(turnNumber, record)
  const { text } = await renderContext(
    {
      prior: {
        turnNumber,
        playerSummary: record.playerSummary,
        coachDecision: toCoachDecision(record.coachDecision ?? ''),
        coachFeedback: reset ? null : (record.coachFeedback ?? null),
        blockersFound: record.blockersFound ?? [],
        lessonsFromTurn: record.lessonsFromTurn ?? [],
        whatToTryNext: reset ? null : (record.whatToTryNext ?? null),
      },
      criteria,
      issues: reset ? [] : issuesOf(record),
      role,
      olderTurnsRecorded: false,
      verifiedInPrior: new Set(criteria.map(({ key }) => key)),
      recovered: role === 'coach' ? promisesOf(turnNumber, record) : null,
      stallWarning: null,
    },
    tokenBudget,
  )
  return text
}

function promisesOf(fromTurn: number, { promises = [] }: Partial<RoundRecord>): Rendering['recovered'] {
  if (promises.length === 0) return null
  const items = promises.map(({ criterionId, status, evidence }) => ({
    label: criterionId,
    status,
    evidence: evidence ?? null,
  }))
  return { fromTurn, items }
}

const issuesOf = ({ issues = [] }: Partial<RoundRecord>) =>
  issues
    .map((issue) => ({
      severity: toSeverity(issue.severity),
      severityRaw: issue.severity,
      category: issue.category ?? null,
      description: issue.description,
      criterionIds: issue.criterionIds ?? [],
      suggestion: issue.suggestion ?? null,
    }))
    .toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))

/** As the Coach named them: which criterion a label means is the memory's to say. */
function criteriaOf(turn: number, record: Partial<RoundRecord>): ShownCriterion[] {
  const judged = new Map<string, CriterionStatus>(Object.entries(record.acceptanceCriteriaStatus ?? {}))
  for (const { criterionId, status } of record.verifications ?? []) judged.set(criterionId, status)
  return [...judged].map(([label, status]) => ({
    criterionId: label,
    key: label,
    text: null,
    aliases: [],
    state: status === 'unknown' ? 'pending' : status,
    verifiedInTurn: status === 'verified' ? turn : null,
    lastTurn: turn,
    contested: null,
    promise: null,
  }))
}
