/** Lists the verdicts of each turn about each criterion: the matrix of criteria over turns, without texts. */
import * as z from 'zod'
import { groupBy } from '../../core/group-by.ts'
import { worldKey as keyOfWorld } from '../../core/keys.ts'
import { withOneDeadline } from '../../graph/deadline.ts'
import type { Graph } from '../../graph/port.ts'
import { compareCodeUnits } from '../../rules/labels.ts'
import { entriesIn, finalKeys } from '../../rules/progress.ts'
import { listVerificationBases, type TurnsByBasis } from '../../rules/verification-bases.ts'
import { placeEntries, readLedger } from '../criteria/snapshot.ts'
import { unknownWorld } from '../scope/world-errors.ts'
import { getWorld } from './worlds.ts'

const turnNumbers = z.array(z.number())

/** Matrix by verdict instead of turn: 60 criteria of 200 turns take 50 kB, and 400 kB as a list of cells. */
export const criteriaByTurn = z.object({
  worldSlug: z.string(),
  turns: turnNumbers.describe('all turns of the world, ascending'),
  criteria: z
    .array(
      z.object({
        key: z.string(),
        verifiedIn: turnNumbers.describe("turns, ascending, by their judges' last explicit verdict"),
        rejectedIn: turnNumbers,
        unknownIn: turnNumbers.describe('a judge named it, and gave no verdict: unknown or pending'),
        promisedIn: turnNumbers.describe('the Player promised it, whether it was judged or not'),
        unfinishedIn: turnNumbers.describe(
          'turns of promised_in without a complete promise: partial, incomplete or uncertain',
        ),
        observedIn: turnNumbers.describe('turns of verified_in with an observation'),
        repeatedIn: turnNumbers.describe("turns of verified_in with only the Player's words"),
        misplacedIn: turnNumbers.describe(
          "turns of verified_in with only the Player's words for another criterion",
        ),
        bareIn: turnNumbers.describe(
          "turns of verified_in without evidence; the remaining turns have a judge's own words",
        ),
      }),
    )
    .describe('all that any turn named, by key'),
})

export type CriteriaByTurn = z.output<typeof criteriaByTurn>

/** @throws `unknown_world`, `world_deleted`, `store_unavailable`, `timeout` */
export async function listCriteriaByTurn(
  store: Graph,
  project: string,
  worldSlug: string,
): Promise<CriteriaByTurn> {
  const graph = withOneDeadline(store)
  await getWorld(graph, project, worldSlug)
  const found = await readLedger(graph, keyOfWorld(project, worldSlug))
  if (found === null) throw unknownWorld(project, worldSlug)
  const finalKey = finalKeys(found.criteria)
  const promised = found.turns.flatMap((turn) => turn.promised)
  const ledger = placeEntries(
    found.turns.flatMap(({ entries }) => entries),
    finalKey,
  )
  const promisedAs = groupBy(promised, ({ criterionKey }) => finalKey(criterionKey))
  const findEntries = entriesIn({ ledger, progress: new Map() })
  const bases = listVerificationBases(found.turns, finalKey)
  const keys = new Set([...ledger.map(({ criterionKey }) => criterionKey), ...promisedAs.keys()])
  return {
    worldSlug,
    turns: ascending(found.turns.map(({ turn }) => turn)),
    criteria: [...keys].sort(compareCodeUnits).map((key) => {
      const verdicts = turnsByVerdict(findEntries(key))
      const promises = promisedAs.get(key) ?? []
      const completeIn = new Set(
        promises.filter(({ status }) => status === 'complete').map(({ turn }) => turn),
      )
      const promisedIn = ascending(promises.map(({ turn }) => turn))
      return {
        key,
        ...verdicts,
        promisedIn,
        unfinishedIn: promisedIn.filter((turn) => !completeIn.has(turn)),
        ...turnsByBasis(verdicts.verifiedIn, bases.get(key) ?? {}),
      }
    }),
  }
}

type Entry = { turn: number; status: string; judges: boolean }

/** Groups turns by verdict. The last explicit verdict of a turn counts, whatever other entries the turn has. */
function turnsByVerdict(entries: readonly Entry[]) {
  const verdicts = new Map<number, string>()
  for (const { turn, status, judges } of entries) {
    if (!judges) continue
    const isExplicit = status === 'verified' || status === 'rejected'
    if (isExplicit || !verdicts.has(turn)) verdicts.set(turn, isExplicit ? status : 'unknown')
  }
  const listTurns = (verdict: string) =>
    ascending([...verdicts].flatMap(([turn, said]) => (said === verdict ? [turn] : [])))
  return {
    verifiedIn: listTurns('verified'),
    rejectedIn: listTurns('rejected'),
    unknownIn: listTurns('unknown'),
  }
}

/** Groups the turns that verified a criterion by basis. The remaining turns have a judge's own text. */
function turnsByBasis(verifiedIn: readonly number[], bases: TurnsByBasis) {
  const verified = new Set(verifiedIn)
  const select = (turns: readonly number[] = []) => turns.filter((turn) => verified.has(turn))
  return {
    observedIn: select(bases.observed),
    repeatedIn: select(bases.repeated),
    misplacedIn: select(bases.misplaced),
    bareIn: select(bases.bare),
  }
}

const ascending = (turns: readonly number[]): number[] => [...new Set(turns)].sort((a, b) => a - b)
