import type { TurngraphClient } from '../../src/client/client.ts'
import type { Graph } from '../../src/graph/port.ts'
import { parseStatement } from '../../src/graph/statements.ts'
import type { TranscriptUpload, TranscriptUploaded } from '../../src/operations/transcript-upload.ts'
import type { TranscriptTurnRow } from '../../src/transcripts/reports.ts'
import { dumpOf } from './graph-dump.ts'
import { failed, instant, linesOf, result, system, user, type Written } from './written-transcript.ts'

/**
 * Imports of transcripts in tests: short notations for transcripts, sending like a command, and reading back.
 */

/** Makes a session id in the form of Claude Code. */
export const sessionOf = (n: number): string => `5e551000-0000-4000-8000-${String(n).padStart(12, '0')}`

/** Makes a call whose tool may have any name. */
export const call = (id: string, name: string, message: Written = {}): Written => ({
  type: 'assistant',
  message: {
    role: 'assistant',
    model: 'claude-x',
    stop_reason: null,
    content: [{ type: 'tool_use', id, name, input: {} }],
    ...message,
  },
})

export type TurnToWrite = {
  /** The second at which the turn begins. */
  from?: number
  /** Indexes of calls without a result. */
  pending?: readonly number[]
  /** The output of failed commands, by index. */
  errors?: Readonly<Record<number, string>>
  /** False: the turn stays open. */
  ends?: boolean
}

/**
 * Makes one turn: a prompt with the uuid `id`, and calls `id.0`, `id.1` … with their results, one second
 * each.
 */
export function turn(id: string, tools: readonly string[], more: TurnToWrite = {}): Written[] {
  const { from = 0, pending = [], errors = {}, ends = true } = more
  const records = [
    user('Do it'),
    ...tools.flatMap((tool, i) => {
      const error = errors[i]
      const answer =
        error === undefined
          ? result(`${id}.${i}`)
          : failed(
              `${id}.${i}`,
              /^(?:Error: )?(?:Exit code|### Error|<tool_use_error>)/.test(error)
                ? error
                : `Exit code 1\n${error}`,
            )
      return [call(`${id}.${i}`, tool), ...(pending.includes(i) ? [] : [answer])]
    }),
    ...(ends ? [system('stop_hook_summary')] : []),
  ]
  return records.map((record, i) => ({
    ...record,
    uuid: i === 0 ? id : `${id}/${i}`,
    timestamp: instant(from + i),
  }))
}

export const bytesOf = (...turns: readonly Written[][]): Buffer => linesOf(turns.flat())

async function* chunksOf(bytes: Buffer, size = 64 * 1024): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

type Sending = Omit<TranscriptUpload, 'sessionId' | 'offset'> & {
  /** The current end of the file. */
  to?: number
  /** True: sends the file from its beginning again. */
  anew?: boolean
  chunk?: number
}

/** Sends the new part of a transcript like a command. */
export async function send(
  client: TurngraphClient,
  sessionId: string,
  bytes: Buffer,
  { to = bytes.length, anew = false, chunk, ...source }: Sending = {},
): Promise<TranscriptUploaded> {
  const { project, path } = source
  const { offset } = anew ? { offset: 0 } : await client.getTranscriptProgress({ project, sessionId, path })
  return client.importTranscript(
    { ...source, sessionId, offset },
    chunksOf(bytes.subarray(offset, to), chunk),
  )
}

/** Lists all turns, including those without calls. */
export const everyTurn = async (client: TurngraphClient, project?: string) =>
  (await client.listTranscriptTurns({ project, minLength: 0, limit: 0 })).items

/**
 * Leaves out the agent of a turn, and its tokens, which `transcript-corpus.test.ts` compares with an independent
 * program.
 */
export const withoutTokens = <T extends TranscriptTurnRow>({
  agent: _agent,
  effort: _effort,
  models: _models,
  inputTokens: _input,
  outputTokens: _output,
  cacheReadTokens: _read,
  cacheCreationTokens: _creation,
  ...turn
}: T) => turn

/** Returns all reports in their printed form: equal answers are equal bytes. */
export async function reportsOf(client: TurngraphClient, project?: string): Promise<string[]> {
  const answers = [
    await client.listTranscriptTurns({ project, minLength: 0, limit: 0 }),
    await client.listTranscriptTurns({ project }),
    await client.listTranscriptTurns({ project, minLength: 2, limit: 3, since: '2026-01-02T00:00:30Z' }),
    await client.listTranscriptPatterns({ project, minLength: 0 }),
    await client.listTranscriptPatterns({ project, since: '2026-01-02T00:01:00' }),
    await client.listToolStats({ project, limit: 0 }),
    await client.listToolStats({ project, limit: 3, since: '2026-01-02T00:00:30Z' }),
    await client.listPaths({ project, limit: 0 }),
    await client.listPaths({ project, limit: 2, since: '2026-01-02' }),
    await client.listDesires({ project }),
  ]
  return answers.map((answer) => JSON.stringify(answer))
}

/**
 * Dumps the whole content of the graph, except the number of bytes by which the progress recognizes the file,
 * because it depends on the chunks. The read position and the open state at it are included.
 */
export async function importedDump(graph: Graph): Promise<string[]> {
  const lines = await dumpOf(graph)
  return lines.map((line) =>
    line.startsWith('(TranscriptFile ') ? line.replace(/"tail":"\d+:[0-9a-f]{64}"/, '"tail":"…"') : line,
  )
}

/** Returns the lines that only one of two graphs has: a whole dump would hide them. */
export async function differences(
  of: Graph,
  expected: Graph,
): Promise<{ added: string[]; missing: string[] }> {
  const [there, wanted] = [await importedDump(of), await importedDump(expected)]
  const without = (some: string[], others: string[]) => {
    const known = new Map<string, number>()
    for (const line of others) known.set(line, (known.get(line) ?? 0) + 1)
    return some.filter((line) => {
      const left = known.get(line) ?? 0
      known.set(line, left - 1)
      return left <= 0
    })
  }
  return { added: without(there, wanted), missing: without(wanted, there) }
}

export const NO_DIFFERENCES = { added: [], missing: [] }

const steps = parseStatement(
  'test/steps',
  `// params: $turn
   MATCH (t:TranscriptTurn {id: $turn})
   RETURN t.callIds AS ids, t.tools AS tools, t.statuses AS statuses`,
)

/** Returns the steps of a turn in order, each as `id tool status`. */
export async function stepsOf(graph: Graph, turnId: string): Promise<string[]> {
  const rows = (await graph.read(steps, { turn: turnId })) as Record<'ids' | 'tools' | 'statuses', string[]>[]
  return rows.flatMap(({ ids, tools, statuses }) => ids.map((id, i) => `${id} ${tools[i]} ${statuses[i]}`))
}

const errors = parseStatement('test/errors', 'MATCH (f:FailedCall) RETURN f.id AS id, f.error AS error')

export async function errorsOf(graph: Graph): Promise<Record<string, string>> {
  const rows = await graph.read(errors, {})
  return Object.fromEntries(rows.map(({ id, error }) => [String(id), String(error)]))
}

const started = parseStatement(
  'test/started',
  'MATCH (t:TranscriptTurn)-[s:STARTED]->(c:TranscriptSession) RETURN t.callIds[s.sequence] AS step, c.id AS session',
)

/** Returns the calls that started agents, each as `step → session`. */
export const startedIn = async (graph: Graph): Promise<string[]> =>
  (await graph.read(started, {})).map(({ step, session }) => `${step} → ${session}`).sort()

const desires = parseStatement(
  'test/desires',
  `MATCH (d:Desire)-[:SURFACED_FROM]->(p:TurnPattern)
   RETURN d.project AS project, d.error AS error, d.pattern AS pattern, p.pattern AS surfacedFrom`,
)
const allDesires = parseStatement('test/all-desires', 'MATCH (d:Desire) RETURN count(d) AS count')

/** Returns the texts of the Desire nodes; each must be linked to the pattern that it names. */
export async function desiresIn(graph: Graph): Promise<string[]> {
  const rows = await graph.read(desires, {})
  const [all] = await graph.read(allDesires, {})
  const hanging = rows.filter(({ pattern, surfacedFrom }) => pattern === surfacedFrom)
  if (hanging.length !== Number(all?.count)) throw new Error('a Desire hangs on no pattern of its own')
  return rows.map(({ error }) => String(error)).sort()
}

const partsThatDisagree = parseStatement(
  'test/parts-of-turns',
  `MATCH (t:TranscriptTurn)
   RETURN t.id AS id, t.length AS length, size(t.tools) AS tools, t.errors AS errors, t.pattern AS pattern,
          size(t.callIds) AS steps,
          size([(t)-[:HAS_FAILED_CALL]->(f:FailedCall) | 1]) AS failed,
          [(t)-[c:CALLED]->(:Tool) | c.calls] AS calls, [(t)-[c:CALLED]->(:Tool) | c.errors] AS callErrors,
          [(t)-[:FOLLOWS]->(p:TurnPattern) | p.pattern] AS patterns,
          size([(t)<-[:HAS_TURN]-(s:TranscriptSession) | 1]) AS sessions`,
)

const sum = (numbers: unknown): number => (numbers as number[]).reduce((all, n) => all + n, 0)

const followed = parseStatement(
  'test/followed-patterns',
  'MATCH (t:TranscriptTurn) WHERE t.length > 0 RETURN DISTINCT t.project AS project, t.pattern AS pattern',
)
const storedPatterns = parseStatement(
  'test/stored-patterns',
  'MATCH (p:TurnPattern)-[:STARTS_WITH]->(:Tool) RETURN p.project AS project, p.pattern AS pattern',
)

/** Returns the patterns that no turn follows, and those that turns follow without a node. */
async function strayPatterns(graph: Graph): Promise<string[]> {
  const [wanted, there] = (await Promise.all([graph.read(followed, {}), graph.read(storedPatterns, {})])).map(
    (rows) => rows.map(({ project, pattern }) => `${project}: ${pattern}`),
  )
  return [
    ...(there ?? [])
      .filter((pattern) => !wanted?.includes(pattern))
      .map((pattern) => `not followed: ${pattern}`),
    ...(wanted ?? [])
      .filter((pattern) => !there?.includes(pattern))
      .map((pattern) => `not stored: ${pattern}`),
  ]
}

/** Returns turns whose counts differ from their parts, and patterns that do not match their turns. */
export async function brokenTurns(graph: Graph): Promise<string[]> {
  return [...(await turnsWithOtherParts(graph)), ...(await strayPatterns(graph))]
}

async function turnsWithOtherParts(graph: Graph): Promise<string[]> {
  const rows = await graph.read(partsThatDisagree, {})
  return rows.flatMap((row) => {
    const said = [row.length, row.length, row.length, row.errors, row.errors, row.pattern ?? '']
    const there = [
      row.steps,
      row.tools,
      sum(row.calls),
      row.failed,
      sum(row.callErrors),
      (row.patterns as string[]).join(),
    ]
    const isWhole = said.join('\n') === there.join('\n') && Number(row.sessions) > 0
    return isWhole ? [] : [`${row.id} says ${said.join()}, has ${there.join()}`]
  })
}
