/** Adds up tokens, and finds the turn of the memory to which a transcript turn belongs. Pure. */

/** Numbers of tokens. `inputTokens` does not include cached tokens. */
export type TokenCounts = {
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number
  cacheCreationTokens: number
}

export const NO_TOKENS: Readonly<TokenCounts> = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheCreationTokens: 0,
}

/** Adds tokens to a sum. */
export function addTokens(sum: TokenCounts, tokens: Readonly<TokenCounts>): void {
  sum.inputTokens += tokens.inputTokens
  sum.outputTokens += tokens.outputTokens
  sum.cacheReadTokens += tokens.cacheReadTokens
  sum.cacheCreationTokens += tokens.cacheCreationTokens
}

/** Returns the number of tokens of all kinds. */
export const totalTokens = (tokens: Readonly<TokenCounts>): number =>
  tokens.inputTokens + tokens.outputTokens + tokens.cacheReadTokens + tokens.cacheCreationTokens

/** Decodes the stored tokens of a transcript turn: four numbers for each model. */
export const splitByModel = (
  models: readonly string[],
  modelTokens: readonly number[],
): (TokenCounts & { model: string })[] =>
  models.map((model, i) => {
    const [inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheCreationTokens = 0] =
      modelTokens.slice(4 * i, 4 * i + 4)
    return { model, inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens }
  })

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
