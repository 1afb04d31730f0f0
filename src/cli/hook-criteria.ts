/** Lists the unproven criteria of a task for the hooks of Claude Code. Loads no package: a hook must be quick. */
import { hash } from 'node:crypto'
import { cutLine } from '../rules/cut-line.ts'
import { toOneLine } from '../rules/foreign-text.ts'
import { STICKY } from './gate-policy.ts'
import { NoAnswer } from './hook-service.ts'

export type Unproven = { id: string; why: string; text: string | null; lastTurn: number | null }

/**
 * Lists the criteria of `GET /v1/criteria` that count, that an agent can prove (not `manual`), and that are not proven. Includes
 * verified criteria if a later turn contested them or touched files of their proof, except under the policy `sticky`.
 */
export function listUnproven(criteria: unknown, policy: string): Unproven[] {
  if (!Array.isArray(criteria)) throw new NoAnswer('its answer comes from another version of Turngraph')
  return criteria.flatMap((given: unknown): Unproven[] => {
    const criterion = Object(given) as Record<string, unknown>
    const { criterion_id: id, text, declared, kind, last_turn: lastTurn } = criterion
    const why = whyUnproven(criterion, policy)
    if (typeof id !== 'string' || why === null || declared === false || kind === 'manual') return []
    return [
      {
        id,
        why,
        text: typeof text === 'string' && text !== id ? text : null,
        lastTurn: typeof lastTurn === 'number' ? lastTurn : null,
      },
    ]
  })
}

function whyUnproven({ state, contested, stale }: Record<string, unknown>, policy: string): string | null {
  if (typeof state !== 'string') return null
  if (state !== 'verified') return state
  if (policy === STICKY) return null
  const reasons = [
    ...turnOf(contested, (turn) => `contested in turn ${turn}`),
    ...turnOf(stale, (turn) => `stale since turn ${turn}`),
  ]
  return reasons.length === 0 ? null : `verified, but ${reasons.join(' and ')}`
}

function turnOf(given: unknown, say: (turn: number) => string): string[] {
  const { turn } = Object(given) as { turn?: unknown }
  return typeof turn === 'number' ? [say(turn)] : []
}

const MAX_SHOWN_CRITERIA = 20
const MAX_SHOWN_CHARACTERS = 300

export function unprovenLines(left: readonly Unproven[]): string[] {
  const lines = left
    .slice(0, MAX_SHOWN_CRITERIA)
    .map(({ id, why, text }) => `- ${cut(id)} (${why})${text === null ? '' : `: ${cut(text)}`}`)
  return left.length > MAX_SHOWN_CRITERIA
    ? [...lines, `- and ${left.length - MAX_SHOWN_CRITERIA} more`]
    : lines
}

const cut = (text: string): string => cutLine(toOneLine(text).toWellFormed(), MAX_SHOWN_CHARACTERS)

/** Digest that changes if a criterion was proven, or if a remaining criterion was judged again. */
export const digestOf = (left: readonly Unproven[]): string =>
  hash('sha256', JSON.stringify(left)).slice(0, 16)
