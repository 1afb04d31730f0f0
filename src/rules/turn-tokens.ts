/** Adds up tokens, and finds the turn of the memory to which a transcript turn belongs. Pure. */

/** The kinds of tokens, in the order in which a list stores them. `inputTokens` does not include cached tokens. */
export const TOKEN_KINDS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens'] as const
export type TokenKind = (typeof TOKEN_KINDS)[number]
export type TokenCounts = Record<TokenKind, number>

export const eachKind = <T>(read: (kind: TokenKind, place: number) => T): Record<TokenKind, T> =>
  Object.fromEntries(TOKEN_KINDS.map((kind, i) => [kind, read(kind, i)])) as Record<TokenKind, T>

export const NO_TOKENS: Readonly<TokenCounts> = eachKind(() => 0)

export function addTokens(sum: TokenCounts, tokens: Readonly<TokenCounts>): void {
  for (const kind of TOKEN_KINDS) sum[kind] += tokens[kind]
}

export const totalTokens = (tokens: Readonly<TokenCounts>): number =>
  TOKEN_KINDS.reduce((sum, kind) => sum + tokens[kind], 0)

/** Decodes the stored tokens of a transcript turn: four numbers for each model. */
export const splitByModel = (
  models: readonly string[],
  modelTokens: readonly number[],
): (TokenCounts & { model: string })[] =>
  models.map((model, i) => ({
    model,
    ...eachKind((_, place) => modelTokens[i * TOKEN_KINDS.length + place] ?? 0),
  }))

/** A turn of the memory that was worked on in a transcript session. */
export type LinkedTurn = { key: string; number: number; endMs: number | null; isWithdrawn: boolean }

/**
 * Chooses the turn to which a transcript turn belongs, so that its tokens count once: the first linked turn that
 * ended after the transcript turn began, otherwise the last one.
 *
 * @param linked at least one turn. The tokens of a withdrawn turn count for no turn
 */
export function chooseTurn(linked: readonly LinkedTurn[], begunMs: number): LinkedTurn {
  const order = linked.toSorted(
    (a, b) =>
      (a.endMs ?? Number.MAX_VALUE) - (b.endMs ?? Number.MAX_VALUE) ||
      a.number - b.number ||
      (a.key < b.key ? -1 : 1),
  )
  const turn = order.find(({ endMs }) => endMs !== null && endMs >= begunMs) ?? order.at(-1)
  if (turn === undefined) throw new Error('a transcript turn is linked to no turn')
  return turn
}
