/** Client that runs the operations on a graph in its own process. */
import { Queries } from '../analysis/query/queries.ts'
import { checkSignal, joinSignals } from '../core/join-signals.ts'
import { parseInput } from '../core/wire-form.ts'
import { type ChangeFeed, withChangeFeed } from '../events/change-feed.ts'
import type { Graph } from '../graph/port.ts'
import { eventsRequest, readEvents } from '../operations/events.ts'
import type { Call } from '../operations/operation.ts'
import type { OperationName, OperationOutput } from '../operations/table.ts'
import { transcriptUpload, uploadTranscript } from '../operations/transcript-upload.ts'
import { TurnRuns } from '../runs/turn-runs.ts'
import { SearchIndexes } from '../search/search.ts'
import { callsBy, operationsByName } from './calls.ts'
import type { TurngraphClient } from './client.ts'
import { endedCallError } from './client-errors.ts'

type InProcessOptions = {
  graph: Graph
  /** Feed that gets the writes to `graph`, so also those of `runs`; default: a feed that gets only those of the client's calls. */
  feed?: ChangeFeed
  project: string
  /** False if `project` is only a default. A list over all projects is then not limited to it. Default: true. */
  isProjectNamed?: boolean
  /** Coordinator of turn runs; default: one in this process for external workers only, until the client closes. */
  runs?: TurnRuns
  /** Transcript turns with more calls are long; default 5. */
  turnLengthThreshold?: number
  /** Identity of this program in leases; default: a new UUID. */
  workerId?: string
  /** Receives messages that a service would log at INFO, such as recovered promises. */
  log?: (message: string, fields?: Record<string, unknown>) => void
}

/** Creates a client for a graph in this process. `close()` releases its runs and closes the graph. */
export function inProcessClient({
  graph: stored,
  feed: ownFeed,
  project,
  isProjectNamed = true,
  log,
  runs: given,
  turnLengthThreshold = 5,
  workerId = crypto.randomUUID(),
}: InProcessOptions): TurngraphClient {
  const { graph, feed } = ownFeed === undefined ? withChangeFeed(stored) : { graph: stored, feed: ownFeed }
  const runs = given ?? new TurnRuns({ graph, instance: workerId })
  const queries = new Queries(graph)
  const search = new SearchIndexes(graph, { maxWaitMs: null })
  const calls = callsBy((name, input, options) =>
    runOperation(name, {
      graph,
      input,
      project,
      isProjectNamed,
      call: { log, runs, feed, search, queries, turnLengthThreshold, importRoots: [], ...options },
    }),
  )
  const close = async () => {
    feed.close()
    queries.close()
    await runs.close()
    await graph.close()
  }
  const upload: TurngraphClient['importTranscript'] = async (input, chunks, { signal } = {}) => {
    checkSignal(signal)
    const given = parseInput(transcriptUpload, input, 'importTranscript')
    const to = { ...given, project: given.project ?? project }
    return uploadTranscript(graph, to, untilAborted(chunks, signal), turnLengthThreshold)
  }
  return {
    ...calls,
    importTranscript: upload,
    events: async function* (input = {}, { signal } = {}) {
      const request = parseInput(eventsRequest, input, 'events')
      const pages = readEvents(feed, { ...request, project: request.project ?? project }, joinSignals(signal))
      for await (const { events, cursor } of pages) for (const event of events) yield { ...event, cursor }
    },
    workerId: async () => workerId,
    spool: async () => null,
    close,
  }
}

type InProcessCall = { graph: Graph; input: unknown; project: string; isProjectNamed: boolean; call: Call }

async function runOperation<N extends OperationName>(
  name: N,
  { graph, input, project, isProjectNamed, call }: InProcessCall,
): Promise<OperationOutput<N>> {
  const operation = operationsByName[name]
  const parsed = parseInput(operation.input, input, name)
  if (call.signal?.aborted) throw endedCallError(call.signal)
  const named = namedProject(parsed)
  return operation.run(graph, Object.assign({}, parsed, { project: named ?? project }), {
    namedProject: named ?? (isProjectNamed ? project : null),
    ...call,
  })
}

async function* untilAborted(chunks: AsyncIterable<Buffer>, signal: AbortSignal | undefined) {
  for await (const chunk of chunks) {
    if (signal?.aborted) throw endedCallError(signal)
    yield chunk
  }
}

const namedProject = (parsed: unknown): string | null =>
  typeof parsed === 'object' && parsed !== null && 'project' in parsed && typeof parsed.project === 'string'
    ? parsed.project
    : null
