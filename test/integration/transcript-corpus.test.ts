import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Graph } from '../../src/graph/port.ts'
import { graphStore } from '../../src/transcripts/graph-store.ts'
import { importFiles } from '../../src/transcripts/import-files.ts'
import { memory } from '../support/engines.ts'
import { aTurn, clientOf, PROJECT } from '../support/records.ts'
import { brokenTurns, importedDump } from '../support/transcript-import.ts'

/**
 * All real transcripts, and a made-up session whose records all have one time. The other made-up ones are left out: unrelated
 * files (`dag_simple`, `dag_fork`) share ids of sessions and records, so the newest file wins, and which one that is depends on
 * how far each was read.
 */
const PARTS = [
  ...['claude-code-log', 'spotter', 'entire-skills', 'entire-cli', 'context-evaluator', 'cipher-box'],
  '_synthetic_edge/claude-code-log/workflow_basic',
]
const root = fileURLToPath(new URL('../../../shared/corpus/transcripts/', import.meta.url))
const present = existsSync(root)
const SHARES = [0.19, 0.41, 0.63, 0.87, 1]

test.runIf(!present && process.env.REQUIRE_CORPUS === '1')('the transcripts of the corpus are here', () => {
  throw new Error(`REQUIRE_CORPUS=1, but there is no ${root}`)
})

let scratch: string
let folder: string
let files: string[]
let graph: Graph

beforeEach(async () => {
  scratch = mkdtempSync(path.join(tmpdir(), 'turngraph-corpus-'))
  folder = path.join(scratch, 'projects')
  for (const part of present ? PARTS : [])
    cpSync(path.join(root, part), path.join(folder, part), { recursive: true })
  files = present
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
        .map((entry) => path.join(entry.parentPath, entry.name))
        .sort()
    : []
  graph = await memory.open()
})
afterEach(async () => {
  await graph.close()
  rmSync(scratch, { recursive: true, force: true })
})

const importAll = (paths: readonly string[]) => importFiles(graphStore(graph, 5), paths, { project: PROJECT })

/** Cuts all files to a share of their bytes, which ends within a line of most. */
function cutTo(share: number, whole: ReadonlyMap<string, Buffer>): void {
  for (const [file, bytes] of whole) writeFileSync(file, bytes.subarray(0, Math.ceil(bytes.length * share)))
}

type Usage = {
  sessionId?: string
  message?: { id?: string; model?: string; usage?: Record<string, number> }
  type?: string
}

const byText = (a: readonly unknown[], b: readonly unknown[]): number =>
  JSON.stringify(a) < JSON.stringify(b) ? -1 : 1

/** Returns the tokens of each session by model, computed independently. Subagents count for their session. */
function tokensBySession(): Map<string, Map<string, number[]>> {
  const sessions = new Map<string, Map<string, number[]>>()
  for (const { session, model, tokens } of readResponses().values()) {
    const models = sessions.get(session) ?? new Map<string, number[]>()
    sessions.set(session, models)
    models.set(
      model,
      tokens.map((count, i) => count + (models.get(model)?.[i] ?? 0)),
    )
  }
  return sessions
}

/**
 * Adds up the tokens by model, independently: each response once, with the numbers of its last record. Agents that only warm up or
 * compact are not sessions, so their tokens do not count.
 */
function tokensByModel(): Map<string, number[]> {
  const sums = new Map<string, number[]>()
  for (const { model, tokens } of readResponses().values())
    sums.set(
      model,
      tokens.map((count, i) => count + (sums.get(model)?.[i] ?? 0)),
    )
  return sums
}

/** Reads each response once, with the numbers of its last record. */
function readResponses(): Map<string, { session: string; model: string; tokens: number[] }> {
  const responses = new Map<string, { session: string; model: string; tokens: number[] }>()
  for (const file of files) {
    const lines = readFileSync(file, 'utf8').split('\n')
    const prompts = lines.filter((line) => parseLine(line)?.type === 'user')
    const isWarmUp =
      /\/agent-[^/]*$/.test(file) && prompts.every((line) => /"(?:content|text)":"Warmup"/.test(line))
    if (isWarmUp || /agent-acompact/.test(file)) continue
    // A file belongs to the session in its name, otherwise to the first one that a record names (`{session}#{agent}` for a subagent).
    const own = path.basename(file, '.jsonl')
    const [first = ''] = lines.flatMap((line) => parseLine(line)?.sessionId?.split('#')[0] ?? [])
    const named = /^[0-9a-f-]{36}$/.test(own) ? own : first
    for (const line of lines) {
      const record = parseLine(line)
      const { id, model = '', usage } = record?.message ?? {}
      if (record?.type !== 'assistant' || id === undefined || usage === undefined || model === '<synthetic>')
        continue
      const names = [
        'input_tokens',
        'output_tokens',
        'cache_read_input_tokens',
        'cache_creation_input_tokens',
      ]
      // A fork repeats the responses of its session. They count for the turn that ended first.
      const earlier = responses.get(id)?.session ?? named
      const [session = named] = [earlier, named].sort()
      responses.set(id, { session, model, tokens: names.map((name) => usage[name] ?? 0) })
    }
  }
  return responses
}

function parseLine(line: string): Usage | null {
  try {
    return JSON.parse(line) as Usage
  } catch {
    return null
  }
}

/** Returns the whole graph, without the paths of files and their offsets. */
async function contents(): Promise<string[]> {
  expect(await brokenTurns(graph)).toEqual([])
  return (await importedDump(graph))
    .filter((line) => !line.includes('TranscriptFile'))
    .map((line) => line.replace(/"fileKey":"[^"]*"/g, '"fileKey":"…"'))
}

let imported: Promise<string[]> | undefined
/** Returns the contents after one import, which three tests compare with. */
const contentsOfOneImport = (): Promise<string[]> => {
  imported ??= importOnce()
  return imported
}

async function importOnce(): Promise<string[]> {
  const own = graph
  graph = await memory.open()
  try {
    await importAll([folder])
    return await contents()
  } finally {
    await graph.close()
    graph = own
  }
}

describe.skipIf(!present)('real transcripts give the same graph', () => {
  test('the tokens of real transcripts are those of an independent program', async () => {
    await importAll([folder])
    const { items } = await clientOf(graph).listCost({ by: 'model', limit: 0 })
    const found = items.map((row) => [
      row.name,
      [row.inputTokens, row.outputTokens, row.cacheReadTokens, row.cacheCreationTokens],
    ])
    expect(new Map(found as [string, number[]][])).toEqual(tokensByModel())
  })

  test('the tokens per proof, and those after all was proven, equal an independent computation', async () => {
    await importAll([folder])
    const spent = tokensBySession()
    const sessions = [...spent.keys()].sort()
    expect(sessions.length).toBeGreaterThan(10)
    const perModel = new Map<string, { turns: number; tokens: number[]; proofs: number }>()
    const afterwards: unknown[][] = []
    // Each session of the corpus is one turn of a world of up to three turns. The first turn newly verifies two criteria,
    // the second turn the last one, and the third turn none.
    for (let at = 0; at < sessions.length; at += 3) {
      const worldSlug = `w${String(at).padStart(4, '0')}`
      const some = sessions.slice(at, at + 3)
      for (const [i, session] of some.entries()) {
        const proofs = [['AC-1', 'AC-2'], ['AC-2', 'AC-3'], ['AC-3']][i] ?? []
        await clientOf(graph).captureTurnState(
          aTurn(i + 1, {
            worldSlug,
            createWorld: true,
            completedAt: new Date(Date.UTC(2030, 0, 1, 0, at + i)).toISOString(),
            transcriptSessionIds: [session],
            acceptanceCriteriaStatus: Object.fromEntries(proofs.map((id) => [id, 'verified'])),
          }),
        )
        for (const [model, tokens] of spent.get(session) ?? []) {
          const sum = perModel.get(model) ?? { turns: 0, tokens: [0, 0, 0, 0], proofs: 0 }
          perModel.set(model, {
            turns: sum.turns + 1,
            tokens: sum.tokens.map((count, kind) => count + (tokens[kind] ?? 0)),
            proofs: sum.proofs + ([2, 1, 0][i] ?? 0),
          })
        }
      }
      if (some.length < 3) continue
      const total = (session: string | undefined): number =>
        [...(spent.get(session ?? '')?.values() ?? [])].flat().reduce((a, b) => a + b, 0)
      const whole = some.reduce((sum, session) => sum + total(session), 0)
      afterwards.push([worldSlug, total(some[2]), total(some[2]) / whole])
    }
    const ask = async (name: string) => (await clientOf(graph).runAnalysis({ name, limit: 1_000 })).rows
    const found = await ask('cost-per-proof')
    const known = [...perModel].map(([model, { turns, tokens, proofs }]) => {
      const all = tokens.reduce((a, b) => a + b, 0)
      return [
        'transcripts',
        'claude-code',
        model,
        turns,
        all,
        ...tokens,
        proofs,
        proofs === 0 ? null : all / proofs,
      ]
    })
    expect(found.filter(([source]) => source !== null).sort(byText)).toEqual(known.sort(byText))
    const after = (await ask('cost-after-all-was-proven')).filter(([_f, _t, world]) =>
      afterwards.some(([w]) => w === world),
    )
    expect(after.map((row) => [row[2], row[7] ?? 0, row[12] ?? 0]).sort(byText)).toEqual(
      afterwards.map(([world, tokens, share]) => [world, tokens, tokens === 0 ? 0 : share]).sort(byText),
    )
  })

  test('real transcripts give the same graph in five stages that end within lines', async () => {
    const wanted = await contentsOfOneImport()
    const whole = new Map(files.map((file) => [file, readFileSync(file)]))
    for (const share of SHARES) {
      cutTo(share, whole)
      await importAll([folder])
    }
    expect(await contents()).toEqual(wanted)
  }, 120_000)

  test('real transcripts give the same graph in the reverse order of files, and imported twice', async () => {
    const wanted = await contentsOfOneImport()
    expect(wanted.length).toBeGreaterThan(100)
    for (const file of files.toReversed()) await importAll([file])
    expect(await contents()).toEqual(wanted)
    await importAll([folder])
    expect(await contents()).toEqual(wanted)
  }, 120_000)

  test('real transcripts give the same graph if their folder moves half-way', async () => {
    const wanted = await contentsOfOneImport()
    const whole = new Map(files.map((file) => [file, readFileSync(file)]))
    cutTo(0.5, whole)
    await importAll([folder])
    cutTo(1, whole)
    const moved = path.join(scratch, 'moved')
    renameSync(folder, moved)
    await importAll([moved])
    expect(await contents()).toEqual(wanted)
  }, 120_000)
})
