import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientStore } from '../../src/client/transcript-store.ts'
import type { Graph } from '../../src/graph/port.ts'
import type { FilesImport } from '../../src/transcripts/import-files.ts'
import { importFiles } from '../../src/transcripts/import-files.ts'
import {
  type IndependentSession,
  type IndependentTurn,
  mergeForks,
  readIndependently,
} from '../oracles/transcripts.ts'
import { describeOn, type Engine, memory, neo4jLts, shuffled } from '../support/engines.ts'
import { clientOf, PROJECT } from '../support/records.ts'
import {
  brokenTurns,
  desiresIn,
  everyTurn,
  importedDump,
  reportsOf,
  startedIn,
  stepsOf,
  withoutTokens,
} from '../support/transcript-import.ts'

const root = fileURLToPath(new URL('../../../shared/corpus/transcripts/', import.meta.url))
const present = existsSync(root)
if (!present) console.log(`Left out: imports of real transcripts. There is no ${root}.`)

test.runIf(!present && process.env.REQUIRE_CORPUS === '1')('the transcripts of the corpus are here', () => {
  throw new Error(`REQUIRE_CORPUS=1, but there is no ${root}`)
})

/** The records of three agents name a session `UUID#agent-ID`; they belong to the one in whose folder they lie. */
const ofItsFolder = (id: string): string => id.replace(/#agent-[^/]+/, '')
const inItsFolder = (session: IndependentSession): IndependentSession => ({
  ...session,
  sessionId: ofItsFolder(session.sessionId),
  turns: session.turns.map((turn) => ({ ...turn, sessionId: ofItsFolder(turn.sessionId) })),
})

const instantOf = (text: string | null): string | null =>
  text === null || Number.isNaN(Date.parse(text)) ? null : new Date(text).toISOString()

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Returns the copies of each turn that can give its steps: those with the most calls. */
function copiesOf(sessions: readonly IndependentSession[]): Map<string, IndependentTurn[]> {
  const copies = new Map<string, IndependentTurn[]>()
  for (const turn of sessions.flatMap(({ turns }) => turns)) {
    const longest = copies.get(turn.id)?.[0]?.length ?? -1
    if (turn.length > longest) copies.set(turn.id, [turn])
    else if (turn.length === longest) copies.get(turn.id)?.push(turn)
  }
  return copies
}

const asTold = (turn: IndependentTurn) => {
  const { kind, status, durationMs, length, tools, pattern, errors, parallelSteps } = turn
  const startedAt = instantOf(turn.startedAt)
  return { kind, status, startedAt, durationMs, length, tools, pattern, errors, parallelSteps }
}

let inOtherOrder: Promise<string[]> | null = null

/** Returns the reports of a graph into which the folders were imported in another order. */
function reportsInOtherOrder(): Promise<string[]> {
  inOtherOrder ??= (async () => {
    const graph = await shuffled.open()
    try {
      const store = clientStore(clientOf(graph))
      for (const each of ['claude-code-log', '_synthetic_edge', '.'])
        await importFiles(store, [path.resolve(root, each)], { project: PROJECT })
      return await reportsOf(clientOf(graph))
    } finally {
      await graph.close()
    }
  })()
  return inOtherOrder
}

/** Declares the tests of an engine, which share an import of the whole corpus. */
function describeImport(engine: Engine): void {
  let graph: Graph
  let report: FilesImport
  const client = () => clientOf(graph)
  const again = () => importFiles(clientStore(client()), [root], { project: PROJECT })

  beforeAll(async () => {
    graph = await engine.open()
    report = await again()
  }, 600_000)
  afterAll(() => graph?.close())

  test('every turn equals that of the independent program, and of copies the one with more calls counts', {
    timeout: 120_000,
  }, async () => {
    const sessions = readIndependently(root).sessions.map(inItsFolder)
    const copies = copiesOf(sessions)
    const stored = await everyTurn(client())
    expect(stored.map(({ turnId }) => turnId).sort(byCodeUnit)).toEqual([...copies.keys()].sort(byCodeUnit))
    for (const { turnId, sessionId: _session, index: _index, ...told } of stored.map(withoutTokens)) {
      const equals = (copies.get(turnId) ?? []).map(asTold)
      expect(equals.length > 1 ? equals : equals[0], turnId).toEqual(
        equals.length > 1 ? expect.arrayContaining([told]) : told,
      )
    }
    expect(await brokenTurns(graph)).toEqual([])
    const steps = stored.reduce((sum, { length }) => sum + length, 0)
    expect(report).toMatchObject({ turns: copies.size, steps })
    console.log(`${engine.name}: ${copies.size} turns, ${steps} steps of ${sessions.length} sessions`, {
      ...report,
      skipped: report.skipped.length,
    })
  })

  test('every session has its turns, in order', { timeout: 120_000 }, async () => {
    const turns = readIndependently(root)
      .sessions.map(inItsFolder)
      .flatMap((session) => session.turns)
    const files = new Map<string, Set<string>>()
    for (const { sessionId, id, index } of turns)
      files.set(sessionId, (files.get(sessionId) ?? new Set()).add(`${index} ${id}`))
    for (const [sessionId, expected] of files) {
      const { items } = await client().listTranscriptTurns({ sessionId, minLength: 0, limit: 0 })
      const found = items.map(({ index, turnId }) => `${index} ${turnId}`)
      // Two files of one session may place a turn differently.
      expect({ sessionId, strange: found.filter((each) => !expected.has(each)) }).toEqual({
        sessionId,
        strange: [],
      })
      expect(new Set(items.map(({ turnId }) => turnId))).toEqual(
        new Set(turns.filter((turn) => turn.sessionId === sessionId).map(({ id }) => id)),
      )
    }
  })

  test('every step has its status', { timeout: 120_000 }, async () => {
    const copies = copiesOf(readIndependently(root).sessions.map(inItsFolder))
    for (const [id, equals] of copies) {
      const told = equals.map(({ steps }) => steps.map((step) => `${step.id} ${step.tool} ${step.status}`))
      expect(told, id).toContainEqual(await stepsOf(graph, id))
    }
  })

  test('every agent is linked to the call that started it', async () => {
    const sessions = readIndependently(root).sessions.map(inItsFolder)
    const merged = [...mergeForks(sessions).values()]
    const calls = new Set(merged.flatMap(({ steps }) => steps.map(({ id }) => id)))
    const expected = sessions.flatMap(({ sessionId, parentStepId }) =>
      parentStepId !== null && calls.has(parentStepId) ? [`${parentStepId} → ${sessionId}`] : [],
    )
    expect(await startedIn(graph)).toEqual(expected.sort())
  })

  test('a second import reads nothing and changes nothing', { timeout: 120_000 }, async () => {
    const before = await importedDump(graph)
    const second = await again()
    const { seconds, unknownSubtypes, unknownFields, ...rest } = second
    const { bytes, badLines, recoveredLines, redactions, unknown, ...contents } = rest
    expect({ bytes, badLines, recoveredLines, redactions, unknown }).toEqual({
      bytes: 0,
      badLines: 0,
      recoveredLines: 0,
      redactions: 0,
      unknown: {},
    })
    expect(report).toMatchObject(contents)
    expect(await importedDump(graph)).toEqual(before)
  })

  test('the reports are byte-identical to those of an import folder by folder, the last one first', {
    timeout: 600_000,
  }, async () => {
    expect(await reportsOf(client())).toEqual(await reportsInOtherOrder())
  })

  test('the stored desires equal the listed ones', async () => {
    const { items } = await client().listDesires({})
    expect(await desiresIn(graph)).toEqual(items.map(({ error }) => error).sort())
  })
}

describe.skipIf(!present)('the real transcripts, imported', () => {
  describe(memory.name, () => describeImport(memory))

  describeOn(neo4jLts, () => describeImport(neo4jLts))
})
