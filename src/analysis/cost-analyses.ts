/** Answers the analyses about tokens: the graph finds sessions, and the tokens of their turns are added up here. */
import { setImmediate } from 'node:timers/promises'
import * as z from 'zod'
import { inChunks } from '../core/group-by.ts'
import type { Graph } from '../graph/port.ts'
import { readTurnTokens, sumTurnTokens, type TurnTokens } from '../memory/worlds/turn-tokens.ts'
import { addTokens, NO_TOKENS, type TokenCounts, totalTokens } from '../rules/turn-tokens.ts'
import type { Computed, Row } from './stall-analyses.ts'

const WORLDS_AT_ONCE = 200

export const COST_ANALYSES: ReadonlyMap<string, Computed> = new Map([
  ['cost-per-proof', listCostPerProof],
  ['cost-after-all-was-proven', listCostAfterProof],
])

const proofRow = z.object({ key: z.string(), verified_in: z.array(z.number()) })

type ProofCost = {
  source: string | null
  agent: string | null
  model: string | null
  turns: number
  tokens: TokenCounts
  newlyVerified: number
}

async function listCostPerProof(
  graph: Graph,
  found: readonly Row[],
  limit: number,
  signal: AbortSignal,
): Promise<Row[]> {
  const rows = found.map((row) => proofRow.parse(row))
  const costs = new Map<string, ProofCost>()
  await visitWorlds(graph, rows, signal, ({ verified_in: verifiedIn }, turns) => {
    for (const { number, source, parts } of turns) {
      const newlyVerified = verifiedIn.filter((turn) => turn === number).length
      for (const { agent, model, ...tokens } of source === null ? [UNKNOWN] : parts) {
        const key = JSON.stringify([source, agent, model])
        const cost = costs.get(key) ?? {
          ...{ source, agent, model },
          ...{ turns: 0, tokens: { ...NO_TOKENS }, newlyVerified: 0 },
        }
        costs.set(key, cost)
        cost.turns++
        cost.newlyVerified += newlyVerified
        addTokens(cost.tokens, tokens)
      }
    }
  })
  return [...costs]
    .map(([key, cost]) => ({ key, ...cost }))
    .sort(
      (a, b) =>
        Number(a.source === null) - Number(b.source === null) ||
        totalTokens(b.tokens) - totalTokens(a.tokens) ||
        (a.key < b.key ? -1 : 1),
    )
    .slice(0, limit)
    .map(({ source, agent, model, turns, tokens, newlyVerified }) => {
      const known = source === null ? null : tokens
      return {
        source,
        agent,
        model,
        turns,
        ...toColumns(known),
        newly_verified: newlyVerified,
        tokens_per_proof: known === null || newlyVerified === 0 ? null : totalTokens(known) / newlyVerified,
      }
    })
}

/** Part of a turn whose tokens are not known. */
const UNKNOWN = { agent: null, model: null, ...NO_TOKENS }

const sessionRow = z.object({
  key: z.string(),
  feature: z.string(),
  task: z.string(),
  world: z.string(),
  criteria: z.number(),
  proven_in: z.number(),
})

async function listCostAfterProof(
  graph: Graph,
  found: readonly Row[],
  limit: number,
  signal: AbortSignal,
): Promise<Row[]> {
  const rows = found.map((row) => sessionRow.parse(row))
  const costs: { place: string; later: number; total: number; row: Row }[] = []
  await visitWorlds(graph, rows, signal, ({ key: _, ...session }, turns) => {
    const later = turns.filter(({ number }) => number > session.proven_in)
    const tokens = sumTurnTokens(later)
    const all = sumTurnTokens(turns)
    const total = tokens === null ? -1 : totalTokens(tokens)
    costs.push({
      place: JSON.stringify([session.feature, session.task, session.world]),
      later: later.length,
      total,
      row: {
        ...session,
        turns: later.length,
        measured: later.filter(({ source }) => source !== null).length,
        ...toColumns(tokens),
        share: tokens === null || all === null || totalTokens(all) === 0 ? null : total / totalTokens(all),
      },
    })
  })
  return costs
    .sort((a, b) => b.total - a.total || b.later - a.later || (a.place < b.place ? -1 : 1))
    .slice(0, limit)
    .map(({ row }) => row)
}

/** Visits the worlds in order. Lets other work run before each one. @throws the reason of `signal` if it is aborted */
async function visitWorlds<R extends { key: string }>(
  graph: Graph,
  rows: readonly R[],
  signal: AbortSignal,
  visit: (row: R, turns: readonly TurnTokens[]) => void,
): Promise<void> {
  for (const some of inChunks(rows, WORLDS_AT_ONCE)) {
    signal.throwIfAborted()
    const tokens = await readTurnTokens(
      graph,
      some.map(({ key }) => key),
    )
    for (const row of some) {
      await setImmediate()
      signal.throwIfAborted()
      visit(row, tokens.get(row.key) ?? [])
    }
  }
}

const toColumns = (tokens: TokenCounts | null): Row => ({
  tokens: tokens === null ? null : totalTokens(tokens),
  input: tokens?.inputTokens ?? null,
  output: tokens?.outputTokens ?? null,
  cache_read: tokens?.cacheReadTokens ?? null,
  cache_creation: tokens?.cacheCreationTokens ?? null,
})
