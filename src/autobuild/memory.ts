/** Loads the contexts of the loop, and renders what is known of them while the service is away. */
import type { TurngraphClient } from '../client/client.ts'
import { isAway, type TurngraphError } from '../core/errors.ts'
import { toInstant } from '../core/instants.ts'
import { renderContext } from '../memory/context/budget.ts'
import type { ContinuationContext } from '../memory/context/continuation.ts'
import { withoutJudgement } from '../memory/context/render.ts'
import { toRendering } from '../memory/context/rendering-from-context.ts'
import type { Role } from '../memory/criteria/views.ts'
import { normalizeTurn } from '../memory/record/normalize.ts'
import type { CaptureRequest, TurnRecord } from '../memory/record/record.ts'
import type { LedgerEntry } from '../rules/progress.ts'
import type { GivenContext } from './events.ts'
import { criteriaAfter, summarizeTurn, toLedger } from './offline-turns.ts'

type MemoryOptions = {
  client: TurngraphClient
  target: { project?: string | null | undefined; featureId: string; taskId: string }
  tokenBudget: number
  /** Turns in which the Player does not see what the Coach said before. */
  perspectiveResetTurns: readonly number[]
  elsewhere: 'earlier' | 'known' | 'off'
  /** False: agents begin every turn blind. */
  on: boolean
}

/** Summaries of more turns would not fit a prompt; what they verified stands in the newest one's list. */
const SUMMARIES = 3
const LEAST_TOKENS = 100

/**
 * Gives agents the context of the turns before. While the memory is away that is what it last said, and the turns of this
 * process since; it is never nothing: empty is not dark (invariant 4).
 */
export class Memory {
  readonly #options: MemoryOptions
  readonly #lastKnown = new Map<Role, { turn: number; continuation: ContinuationContext }>()
  /** Of all turns of this process or its spool: verdicts outlast an outage of any length. */
  readonly #ledger: LedgerEntry[] = []
  /** The newest of them, as they are stored. */
  #offlineTurns: TurnRecord[] = []

  constructor(options: MemoryOptions) {
    this.#options = options
  }

  /** The newest turn that is known here. */
  get prior(): TurnRecord | null {
    return this.#offlineTurns.at(-1) ?? null
  }

  add(request: CaptureRequest): void {
    const record = normalizeTurn(request, toInstant(new Date()))
    this.#offlineTurns = [...this.#offlineTurns, record].slice(-SUMMARIES)
    this.#ledger.push(...toLedger(record))
  }

  async contextFor(role: Role, turn: number, worldSlug: string | null): Promise<GivenContext> {
    const { client, target, tokenBudget, elsewhere, on } = this.#options
    if (!on) return { status: 'off', context: null, continuation: null }
    try {
      const continuation = await client.loadTurnContinuationContext({
        ...target,
        worldSlug,
        currentTurn: turn,
        role,
        tokenBudget,
        perspectiveReset: this.#resets(role, turn),
        elsewhere,
      })
      this.#lastKnown.set(role, { turn, continuation })
      return { status: continuation.status, context: continuation.context, continuation }
    } catch (error) {
      if (!isAway(error)) throw error
      return this.#withoutMemory(role, turn, error)
    }
  }

  async #withoutMemory(role: Role, turn: number, error: TurngraphError): Promise<GivenContext> {
    const known = this.#lastKnown.get(role) ?? null
    const from = known?.turn ?? 0
    const since = this.#offlineTurns.filter(({ turnNumber }) => turnNumber >= from).toReversed()
    const notice = noticeFor(turn, known?.turn ?? null, error)
    // The notice takes a tenth of a small budget; the rest is shared.
    const shares = since.length + (known === null ? 0 : 1)
    const tokenBudget = Math.max(
      LEAST_TOKENS,
      Math.floor((this.#options.tokenBudget - LEAST_TOKENS) / Math.max(1, shares)),
    )
    const reset = this.#resets(role, turn)
    const judged = this.#ledger.filter((entry) => entry.turn >= from)
    const summaries = await Promise.all(
      since.map((record, i) =>
        summarizeTurn(record, { role, reset, tokenBudget, criteria: criteriaAfter(i === 0 ? judged : []) }),
      ),
    )
    const before = known === null ? null : await renderShortened(known.continuation, reset, tokenBudget)
    return {
      status: known === null ? 'dark' : 'last_known',
      context: [notice, ...summaries, ...(before === null ? [] : [before])].join('\n\n'),
      continuation: null,
    }
  }

  #resets(role: Role, turn: number): boolean {
    return role === 'player' && this.#options.perspectiveResetTurns.includes(turn)
  }
}

/** What a context said, in fewer tokens; without what the Coach had said, where the perspective is reset. */
async function renderShortened(
  continuation: ContinuationContext,
  reset: boolean,
  tokenBudget: number,
): Promise<string | null> {
  const { prior } = continuation
  if (prior === null) return null
  const rendering = toRendering(continuation, prior)
  const shown = reset
    ? { ...rendering, prior: withoutJudgement(prior), lastJudged: null, issues: [] }
    : rendering
  return (await renderContext(shown, tokenBudget)).text
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
