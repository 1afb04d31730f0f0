/** Plans the statements that add verifications to a turn. Pure. */
import type { Step } from '../../graph/port.ts'
import { toStep } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { compareAdded } from '../../rules/addition-order.ts'
import { advanceState } from '../../rules/advance-state.ts'
import type { Resolution } from '../../rules/identity.ts'
import { finalKeys, type LedgerEntry } from '../../rules/progress.ts'
import { judgeToProperties, listAgentNodes } from '../../rules/turn-agents.ts'
import { listEntries } from '../../rules/turn-entries.ts'
import { NO_TURNS } from '../../rules/world-state.ts'
import { rewriteStateStep } from '../criteria/rewrite-state.ts'
import type { Ledger } from '../criteria/snapshot.ts'
import { storedCriterion } from '../record/criterion-rows.ts'
import { storedVerification } from '../record/normalize.ts'
import type { Verification } from '../record/record.ts'
import type { WorldSnapshot } from './load-criteria.ts'

const begin = statement('turns/add-verifications', 'begin')
const place = statement('turns/add-verifications', 'place')
const create = statement('turns/add-verifications', 'create')
const moveToRecord = statement('turns/move-additions')

/** Statements of an addition with parameters that match nothing. */
export const EMPTY_ADDITION: readonly Step[] = [
  toStep(begin, {
    ...{ worldKey: '', taskKey: '', turnKey: '', token: '', extends: false },
    ...{ ledgerRev: 0, criteriaRev: 0, verificationCount: 0, hasProofFiles: false },
  }),
  toStep(place, { turnKey: '', places: [] }),
  toStep(create, { project: '', turnKey: '', taskKey: '', agents: [], criteria: [] }),
  rewriteStateStep({ key: '', taskKey: '', ledgerRev: 0 }, NO_TURNS),
]

/** A verification that was added to a turn after its end. */
export type Addition = {
  verification: Verification
  startedAt: string
  addedAt: string
  addedBy: string | null
  /** Digest of its content and its given time: identifies it within its turn. */
  digest: string
}

type Place = { project: string; worldKey: string; taskKey: string; turnKey: string; turnNumber: number }

type Data = {
  known: WorldSnapshot
  ledger: Ledger
  stored: {
    verificationCount: number
    additions: readonly (Addition & { position: number })[]
    /** Keys of the judges that the turn has in the graph. */
    judges: readonly string[]
  }
  /** New additions in their order. */
  fresh: readonly Addition[]
  resolution: Resolution
}

export function planAdditions(
  { project, worldKey, taskKey, turnKey, turnNumber }: Place,
  { known, ledger, stored, fresh, resolution }: Data,
): [Step, ...Step[]] {
  const first = stored.verificationCount - stored.additions.length
  const ordered = [...stored.additions, ...fresh].sort(compareAdded)
  const places = new Map(ordered.map(({ digest }, i) => [digest, first + i]))
  const placeOf = ({ digest }: Addition): number => places.get(digest) ?? -1
  const moved = stored.additions.filter((addition) => placeOf(addition) !== addition.position)
  const keys = resolution.judgements.flat()
  const entries = toEntries(turnNumber, fresh, keys).map((entry, i): LedgerEntry => {
    const addition = fresh[i]
    return { ...entry, position: addition === undefined ? -1 : placeOf(addition) }
  })
  const newPlaces = new Map(stored.additions.map((addition) => [addition.position, placeOf(addition)]))
  const turns = ledger.turns.map((each) =>
    each.turn !== turnNumber
      ? each
      : {
          ...each,
          entries: [
            ...each.entries.map((entry) =>
              entry.addedAt === null
                ? entry
                : { ...entry, position: newPlaces.get(entry.position) ?? entry.position },
            ),
            ...entries,
          ],
        },
  )
  const state = advanceState(NO_TURNS, turns, finalKeys(mergeChanged(ledger, resolution)))
  const extendsTask = resolution.changed.length > 0
  const changed = new Map(resolution.changed.map((criterion) => [criterion.key, storedCriterion(criterion)]))
  const token = crypto.randomUUID()
  return [
    toStep(begin, {
      ...{ worldKey, taskKey, turnKey, token, extends: extendsTask },
      ...{ ledgerRev: ledger.ledgerRev, criteriaRev: known.criteriaRev },
      verificationCount: stored.verificationCount + fresh.length,
      hasProofFiles: fresh.some(({ verification }) => verification.files !== undefined),
    }),
    ...(moved.length === 0
      ? []
      : [
          toStep(place, {
            turnKey,
            places: moved.map((each) => ({ digest: each.digest, place: placeOf(each) })),
          }),
        ]),
    toStep(create, {
      project,
      turnKey,
      taskKey,
      agents: listAgentNodes(
        project,
        {},
        fresh.map(({ verification }) => judgeToProperties(verification.judge)),
        { linked: stored.judges },
      ),
      criteria: [...new Set([...keys.map((key) => key ?? ''), ...changed.keys()])].map((key) => ({
        key,
        changed: [changed.get(key)].filter((each) => each !== undefined),
        verifications: fresh.flatMap((addition, i) =>
          keys[i] === key ? [toProperties(addition, placeOf(addition))] : [],
        ),
      })),
    }),
    rewriteStateStep({ key: worldKey, taskKey, ledgerRev: ledger.ledgerRev }, state),
  ]
}

const toEntries = (turnNumber: number, fresh: readonly Addition[], judged: readonly (string | null)[]) =>
  listEntries(
    {
      ...{ turnNumber, acceptanceCriteriaStatus: {}, promises: [], issues: [] },
      verifications: fresh.map(({ verification, addedAt }) => ({ ...verification, addedAt })),
    },
    { judgements: [judged.map((key) => key ?? '')], promises: [] },
  ).ledger

const mergeChanged = ({ criteria }: Ledger, { changed }: Resolution) => {
  const byKey = new Map([...criteria, ...changed].map((criterion) => [criterion.key, criterion]))
  return [...byKey.values()]
}

const toProperties = ({ verification, startedAt, addedAt, addedBy, digest }: Addition, position: number) => ({
  ...storedVerification({ ...verification, form: 'entry', addedAt }, position, new Set()),
  startedAt,
  ...(addedBy !== null && { addedBy }),
  additionDigest: digest,
})

export const moveAdditionsStep = (
  keys: { turnKey: string; replacedKey: string },
  { additions, recorded, replaced }: { additions: number; recorded: number; replaced: number },
): Step =>
  toStep(moveToRecord, {
    ...keys,
    counts: { replaced, current: recorded + additions, shift: recorded - replaced },
  })
