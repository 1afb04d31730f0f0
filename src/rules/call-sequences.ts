/** Counts sequences of 2 to 5 calls that occur in many turns, next to the patterns of whole turns, which seldom recur. */

const MIN_CALLS = 2
const MAX_CALLS = 5

const MIN_TURNS = 3

export type CallSequence = {
  tools: readonly string[]
  /** Number of occurrences. */
  count: number
  turns: number
  sessions: number
}

type Counted = { count: number; turns: number; sessions: Set<string> }

export class CallSequences {
  readonly #found = new Map<string, Counted>()

  /** @param tools tools of the turn's calls, in order */
  addTurn(tools: readonly string[], session: string): void {
    const inTurn = new Map<string, number>()
    for (let from = 0; from < tools.length; from++) {
      for (let calls = MIN_CALLS; calls <= MAX_CALLS && from + calls <= tools.length; calls++) {
        const key = tools.slice(from, from + calls).join('\0')
        inTurn.set(key, (inTurn.get(key) ?? 0) + 1)
      }
    }
    for (const [key, count] of inTurn) {
      const sum = this.#found.get(key) ?? { count: 0, turns: 0, sessions: new Set() }
      sum.count += count
      sum.turns++
      sum.sessions.add(session)
      this.#found.set(key, sum)
    }
  }

  /** Lists the frequent sequences by their number of turns. Sequences of a single tool come last, as the least informative. */
  list(): CallSequence[] {
    const frequent = [...this.#found].flatMap(([key, { count, turns, sessions }]) =>
      turns < MIN_TURNS ? [] : [{ key, tools: key.split('\0'), count, turns, sessions: sessions.size }],
    )
    const isOfOneTool = ({ tools }: CallSequence) => new Set(tools).size === 1
    frequent.sort(
      (a, b) =>
        Number(isOfOneTool(a)) - Number(isOfOneTool(b)) ||
        b.turns - a.turns ||
        b.count - a.count ||
        b.tools.length - a.tools.length ||
        (a.key < b.key ? -1 : 1),
    )
    return frequent.map(({ key: _, ...sequence }) => sequence)
  }
}
