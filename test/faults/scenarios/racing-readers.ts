import type { TurngraphClient } from '../../../src/client/client.ts'
import { inProcessClient } from '../../../src/client/in-process.ts'
import { type Graph, graphWith } from '../../../src/graph/port.ts'
import { checkNeo4jShape, graphAt, neo4jFor, serviceOnNeo4j } from '../harness/on-neo4j.ts'
import type { Place } from '../harness/planned-turn.ts'
import { Random } from '../harness/random.ts'
import { Reference } from '../harness/reference.ts'
import { differences } from '../harness/same.ts'
import { holds, inScope, type Scenario } from '../harness/scenario.ts'
import { Writer } from '../harness/writer.ts'

const READERS = 2
const OPS_IN_A_WORLD = 15
const BEYOND_THE_NEWEST = 9

type Asked = Place & { role: 'player' | 'coach'; currentTurn: number }

/**
 * The answer to a reader, and the states of the world that were possible during the read: `from` to `to`
 * captures.
 */
type Seen = { asked: Asked; answer: unknown; from: number; to: number; reads: number; newest: boolean }

/**
 * For `rounds` seconds, one replica captures and supersedes while others read the contexts of the same world.
 * Each answer must be the context of one state of the world during the read: never a partial turn, never a
 * turn together with criteria of another moment, and never less than was acknowledged before.
 */
export const racingReaders: Scenario = (options) =>
  inScope(async (later) => {
    const { rounds: seconds, seed, log } = options
    const random = new Random(seed)
    const url = await neo4jFor(options, later)
    const service = await serviceOnNeo4j(url, later)
    const readers = Array.from({ length: READERS }, () => new Reader(graphAt(url)))
    later(() => Promise.all(readers.map((reader) => reader.close())))

    const figures = {
      seconds,
      worlds: 0,
      captures: 0,
      contexts: 0,
      readAgain: 0,
      mostReadsOfOne: 0,
      aliasesOfAnotherMoment: 0,
    }
    const end = performance.now() + seconds * 1000
    const project = `race-${seed}-${Date.now()}`
    while (performance.now() < end) {
      const world = ++figures.worlds
      const worldSlug = world % 2 === 0 ? `session-${world}` : null
      const place: Place = { project, featureId: 'FEAT-1', taskId: `TASK-${world}`, worldSlug }
      const { writer, seen } = await race(place, service.url, readers, random)
      figures.aliasesOfAnotherMoment += await checkSeen(writer, seen)
      count(figures, writer, seen)
      if (world % 5 === 0) log(`${figures.contexts} contexts read beside ${figures.captures} captures`)
    }
    await checkNeo4jShape(url)
    return figures
  })

function count(figures: Record<string, number>, writer: Writer, seen: readonly Seen[]): void {
  const add = (name: string, more: number) => {
    figures[name] = (figures[name] ?? 0) + more
  }
  add('captures', writer.stored.length)
  add('contexts', seen.length)
  // A context for a Player after the newest turn needs one read. Each further read found half of a commit.
  const simple = seen.filter(
    ({ asked, newest, answer }) => newest && asked.role === 'player' && 'prior' in Object(answer),
  )
  add('readAgain', simple.filter(({ reads }) => reads > 1).length)
  figures.mostReadsOfOne = Math.max(figures.mostReadsOfOne ?? 0, ...simple.map(({ reads }) => reads))
}

async function race(
  place: Place,
  url: string,
  readers: readonly Reader[],
  random: Random,
): Promise<{ writer: Writer; seen: Seen[] }> {
  const writer = new Writer(place, random)
  const stop = new AbortController()
  const writing = writer
    .run(
      () => url,
      stop.signal,
      () => {
        if (writer.stored.length + 1 >= OPS_IN_A_WORLD) stop.abort()
      },
    )
    .finally(() => stop.abort())
  const reading = readers.map((reader) => reader.watch(writer, stop.signal, random))
  const [seen] = await Promise.all([Promise.all(reading), writing])
  return { writer, seen: seen.flat() }
}

/** Another replica, which counts its reads of the graph. */
class Reader {
  readonly #graph: Graph
  readonly #client: TurngraphClient
  #reads = 0

  constructor(graph: Graph) {
    this.#graph = graph
    const count = <T>(answer: T): T => {
      this.#reads++
      return answer
    }
    const counted = graphWith(graph, {
      read: (...args) => count(graph.read(...args)),
      readLong: (...args) => count(graph.readLong(...args)),
      transact: (...args) => count(graph.transact(...args)),
    })
    this.#client = inProcessClient({ graph: counted, project: 'default' })
  }

  async watch(writer: Writer, stop: AbortSignal, random: Random): Promise<Seen[]> {
    const seen: Seen[] = []
    while (!stop.aborted) {
      const newest = random.fraction() < 0.6
      const currentTurn = newest
        ? writer.currentTurn + BEYOND_THE_NEWEST
        : random.between(1, writer.currentTurn + 1)
      const role = random.fraction() < 0.5 ? ('player' as const) : ('coach' as const)
      const asked: Asked = { ...writer.place, role, currentTurn }
      const from = writer.stored.length
      const before = this.#reads
      const answer = await answerOf(this.#client, asked)
      const to = writer.stored.length + (writer.inFlight === null ? 0 : 1)
      seen.push({ asked, answer, from, to, reads: this.#reads - before, newest })
    }
    return seen
  }

  close(): Promise<void> {
    return this.#graph.close()
  }
}

/**
 * Asks without similar names of unknown tasks and without other sessions: both are read separately, from the
 * project.
 */
const answerOf = (client: TurngraphClient, asked: Asked): Promise<unknown> =>
  client
    .loadTurnContinuationContext({ ...asked, elsewhere: 'off' })
    .then(({ near, taskMessage, ...answer }) => answer)
    .catch((error: { code?: string }) => ({ refused: error.code ?? String(error) }))

/** Names of a criterion belong to the task and not to a turn, so they are checked separately. */
const ALIASES = /^it\.criteria\.\d+\.aliases\b/

/** Brings a reference through the same states, and removes the answers that were possible in one of them. */
async function checkSeen(writer: Writer, seen: readonly Seen[]): Promise<number> {
  const reference = await Reference.open()
  const wrong = new Map<Seen, string[]>()
  const onlyAliases = new Set<Seen>()
  const open = new Set(seen)
  try {
    for (let state = 0; state <= writer.stored.length; state++) {
      const op = writer.stored[state - 1]?.op
      if (op !== undefined) await reference.capture(writer.place, op)
      const answers = new Map<string, unknown>()
      for (const one of open) {
        if (state < one.from || state > one.to) continue
        const key = `${one.asked.role} ${one.asked.currentTurn}`
        if (!answers.has(key)) answers.set(key, await answerOf(reference.client, one.asked))
        const found = differences(one.answer, answers.get(key))
        if (found.every((difference) => ALIASES.test(difference))) {
          if (found.length > 0) onlyAliases.add(one)
          else onlyAliases.delete(one)
          if (found.length === 0 || state === one.to) open.delete(one)
        } else wrong.set(one, [...(wrong.get(one) ?? []), `after ${state} captures:`, ...found])
      }
    }
  } finally {
    await reference.close()
  }
  for (const one of onlyAliases) open.delete(one)
  const [first] = open
  if (first === undefined) return onlyAliases.size
  const { asked, from, to } = first
  const ops = writer.stored.slice(Math.max(0, from - 1), to).map(({ op }) => op)
  holds(false, 'each answer to a reader is one state of the world', {
    wrong: open.size,
    of: seen.length,
    asked,
    from,
    to,
    ops,
    differs: wrong.get(first),
  })
}
