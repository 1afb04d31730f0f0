// Adds up the tokens of each turn from the costs of its transcripts. Pure.
import type { ItemOf, Turn } from '../../service/operations.ts'

type Cost = Pick<
  ItemOf<'listCost'>,
  'name' | 'parent' | 'input_tokens' | 'output_tokens' | 'cache_read_tokens' | 'cache_creation_tokens'
>

/**
 * Returns the tokens by turn. A subagent counts for the turn of its parent. A transcript that several turns name belongs to none
 * of them, because its tokens cannot be divided. A turn without tokens of transcripts has the usage of its record.
 */
export function sumTokens(
  turns: readonly Pick<Turn, 'turn_number' | 'transcript_session_ids' | 'usage'>[],
  costs: readonly Cost[],
): ReadonlyMap<number, number> {
  const turnsOf = new Map<string, Set<number>>()
  for (const { turn_number: turn, transcript_session_ids: sessions } of turns)
    for (const session of sessions) turnsOf.set(session, new Set([...(turnsOf.get(session) ?? []), turn]))
  const tokens = new Map<number, number>()
  for (const cost of costs) {
    const named = turnsOf.get(cost.name ?? '') ?? turnsOf.get(cost.parent ?? '')
    const [turn, ...others] = named ?? []
    if (turn === undefined || others.length > 0) continue
    const sum = cost.input_tokens + cost.output_tokens + cost.cache_read_tokens + cost.cache_creation_tokens
    tokens.set(turn, (tokens.get(turn) ?? 0) + sum)
  }
  for (const { turn_number: turn, usage } of turns) {
    if (usage === null || tokens.has(turn)) continue
    const counts = [usage.player, usage.coach].flatMap((own) => (own === null ? [] : Object.values(own)))
    tokens.set(
      turn,
      counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
    )
  }
  return tokens
}
