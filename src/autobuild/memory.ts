/** Loads the contexts of the loop, and renders the known ones while the service is unavailable. */
import type { TurngraphClient } from '../client/client.ts'
import { isAway, type TurngraphError } from '../core/errors.ts'
import { toInstant } from '../core/instants.ts'
import { renderContext } from '../memory/context/budget.ts'
import type { ContinuationContext } from '../memory/context/continuation.ts'
import { hideVerdict } from '../memory/context/render.ts'
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
  perspectiveResetTurns: readonly number[]
  elsewhere: 'earlier' | 'known' | 'off'
  on: boolean
}

/** Maximum number of summaries that fit a prompt. Criteria that older turns verified are in the newest one's list. */
const SUMMARIES = 3
const MIN_TOKENS = 100

/**
 * Gives agents the context of earlier turns. While the memory is unavailable, this is its last answer with the turns of this
 * process since then. It is never empty, because an unavailable memory is not an empty one (invariant 4).
 */
export class Memory {
  readonly #options: MemoryOptions
  readonly #lastKnown = new Map<Role, { turn: number; continuation: ContinuationContext }>()
  /** Judgements of all turns of this process or its spool: verdicts are kept during an outage of any length. */
  readonly #ledger: LedgerEntry[] = []
  #offlineTurns: TurnRecord[] = []

  constructor(options: MemoryOptions) {
    this.#options = options
  }

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
    // The notice takes a tenth of a small budget; the other parts share the rest.
    const shares = since.length + (known === null ? 0 : 1)
    const tokenBudget = Math.max(
      MIN_TOKENS,
      Math.floor((this.#options.tokenBudget - MIN_TOKENS) / Math.max(1, shares)),
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

async function renderShortened(
  continuation: ContinuationContext,
  reset: boolean,
  tokenBudget: number,
): Promise<string | null> {
  const { prior } = continuation
  if (prior === null) return null
  const rendering = toRendering(continuation, prior)
  const shown = reset ? { ...rendering, prior: hideVerdict(prior), lastJudged: null, issues: [] } : rendering
  return (await renderContext(shown, tokenBudget)).text
}

export function noticeFor(turn: number | null, knownTurn: number | null, error: TurngraphError): string {
  const is = turn === null ? '' : ` This is turn ${turn}.`
  const known =
    knownTurn === null
      ? 'What was tried and verified before is not known here: do not take this for a first turn, and look at the code and its tests before you change anything.'
      : `What follows was known before turn ${knownTurn}, with the turns since that are at hand. What was verified stays verified.`
  return `**Memory unavailable** (${error.code}).${is} ${known}`
}
