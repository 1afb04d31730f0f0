/** Answers the analyses about proofs: the graph finds candidate sessions, and the rules of src/rules judge them. */
import { setImmediate } from 'node:timers/promises'
import * as z from 'zod'
import { inChunks } from '../core/group-by.ts'
import type { Graph } from '../graph/port.ts'
import { readLedgersOfWorlds } from '../memory/criteria/snapshot.ts'
import type { NewestState } from '../memory/worlds/session-facts.ts'
import { readNewestStates } from '../memory/worlds/world-progress.ts'
import { listUnseen } from '../rules/basis.ts'
import { isCounted, isRequired } from '../rules/criterion-states.ts'
import { finalKeys } from '../rules/progress.ts'
import { findCopiedVerdicts } from '../rules/verification-bases.ts'
import type { Computed, Row } from './stall-analyses.ts'

const WORLDS_PER_STATEMENT = 200
/** Maximum number of turns per statement, which reads the texts of all verdicts. A world counts as at least 10. */
const MAX_TURNS_PER_STATEMENT = 500
const countTurns = ({ turns }: { turns: number }): number => Math.max(10, turns)
/** Number of turns that are compared before other work may run. */
const TURNS_PER_PAUSE = 10

export const PROOF_ANALYSES: ReadonlyMap<string, Computed> = new Map([
  ['unseen-proofs', listUnseenProofs],
  ['approved-though', listApprovedThough],
  ['evidence-copied', listCopiedEvidence],
])

const candidateRow = z.object({ key: z.string(), gates: z.array(z.string()).default([]) })
type Candidate = z.output<typeof candidateRow>

async function listUnseenProofs(graph: Graph, candidates: readonly Row[], limit: number): Promise<Row[]> {
  return listRows(graph, candidates, limit, ({ states }) =>
    listUnseen(states).map(({ criterionId, text, basis, lastVerifiedTurn }) => ({
      criterion: criterionId,
      text,
      basis,
      verified_in: lastVerifiedTurn,
    })),
  )
}

async function listApprovedThough(graph: Graph, candidates: readonly Row[], limit: number): Promise<Row[]> {
  return listRows(graph, candidates, limit, ({ states, world }, { gates }) => {
    const unproven = states.filter(
      (each) => each.declared === true && isRequired(each) && each.state !== 'verified',
    )
    const refuted = states.filter((each) => isCounted(each) && each.refuted)
    if (gates.length + unproven.length + refuted.length === 0) return []
    const listIds = (of: typeof states) => of.map(({ criterionId }) => criterionId)
    return [{ turn: world.currentTurn, gates, unproven: listIds(unproven), refuted: listIds(refuted) }]
  })
}

const copiedCandidate = z.object({
  feature: z.string(),
  task: z.string(),
  world: z.string(),
  key: z.string(),
  turns: z.number(),
})

/** Reads the worlds in the order of the answer until it has enough rows. @throws the reason of `signal` if it is aborted */
async function listCopiedEvidence(
  graph: Graph,
  rows: readonly Row[],
  limit: number,
  signal: AbortSignal,
): Promise<Row[]> {
  const pause = async () => {
    await setImmediate()
    signal.throwIfAborted()
  }
  const candidates = rows
    .map((row) => copiedCandidate.parse(row))
    .sort((a, b) => comparePlaces([a.feature, a.task, a.world], [b.feature, b.task, b.world]))
  const found: Row[] = []
  for (const some of inChunks(candidates, MAX_TURNS_PER_STATEMENT, countTurns)) {
    if (found.length >= limit) break
    const ledgers = await readLedgersOfWorlds(
      graph,
      some.map(({ key }) => key),
    )
    for (const { feature, task, world, key } of some) {
      const { turns = [], criteria = [], deleted = false } = ledgers.get(key) ?? {}
      if (deleted) continue // since the candidates were read
      await pause()
      const verdicts = findCopiedVerdicts(turns, finalKeys(criteria))
      let compared = 0
      for (const ofTurn of verdicts) {
        for (const { turn, label, basis, promisedFor, promisedIn, evidence } of ofTurn)
          found.push({
            ...{ feature, task, world, turn },
            criterion: label,
            basis,
            promised_for: promisedFor,
            promised_in: promisedIn,
            evidence,
          })
        if (++compared % TURNS_PER_PAUSE === 0) await pause()
      }
    }
  }
  return found.slice(0, limit)
}

/** Makes rows of each candidate, in the order of feature, task and world. */
async function listRows(
  graph: Graph,
  rows: readonly Row[],
  limit: number,
  toRows: (state: NewestState, candidate: Candidate) => Row[],
): Promise<Row[]> {
  const candidates = new Map(rows.map((row) => candidateRow.parse(row)).map((row) => [row.key, row]))
  const found: { place: string[]; rows: Row[] }[] = []
  for (const keys of inChunks([...candidates.keys()], WORLDS_PER_STATEMENT)) {
    for (const state of await readNewestStates(graph, keys)) {
      const { featureId: feature, taskId: task, worldSlug: world } = state.world
      const candidate = candidates.get(state.snapshot.worldKey)
      if (candidate === undefined) continue
      const own = toRows(state, candidate).map((row) => ({ feature, task, world, ...row }))
      if (own.length > 0) found.push({ place: [feature, task, world], rows: own })
    }
  }
  return found
    .sort((a, b) => comparePlaces(a.place, b.place))
    .flatMap((each) => each.rows)
    .slice(0, limit)
}

function comparePlaces(a: readonly string[], b: readonly string[]): number {
  const differing = a.findIndex((part, i) => part !== b[i])
  return differing === -1 ? 0 : (a[differing] ?? '') < (b[differing] ?? '') ? -1 : 1
}
