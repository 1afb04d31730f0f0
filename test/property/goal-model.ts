/**
 * Decides whether a turn run has reached a goal, computed each time from all turns of its world. Written from the contracts (runs.md,
 * "Runs that know their goal"; criteria.md, "State" and "Stall analysis"; turns.md, "Promised, not judged") and not from src.
 */
import type { StopReason } from '../../src/rules/values.ts'

/** The parts of a record that goals depend on. */
type Said = {
  decision: 'approved' | 'feedback' | 'rejected' | 'error'
  /** The blocking issue, in the Coach's words. */
  complaint: string | null
  verdicts: { [criterion: string]: 'verified' | 'rejected' | 'rejected with evidence' | 'unknown' }
  promises: { [criterion: string]: 'complete' | 'partial' }
}

const SLOW = { decision: 'feedback', complaint: 'It is slow', promises: {} } as const

/** Every record that a command may capture or commit. */
export const RECORDS: { readonly [record: string]: Said } = {
  a: { ...SLOW, verdicts: {} },
  b: { decision: 'approved', complaint: null, verdicts: {}, promises: {} },
  opens: { ...SLOW, verdicts: { opens: 'verified' } },
  both: { ...SLOW, verdicts: { opens: 'verified', greets: 'verified' } },
  half: { ...SLOW, verdicts: { opens: 'verified', greets: 'rejected' } },
  claimed: { ...SLOW, verdicts: { opens: 'rejected' }, promises: { opens: 'complete' } },
  partly: { ...SLOW, verdicts: { opens: 'rejected' }, promises: { opens: 'partial' } },
  refuted: {
    decision: 'rejected',
    complaint: 'It is slow',
    verdicts: { opens: 'rejected with evidence' },
    promises: { opens: 'complete' },
  },
  unjudged: { ...SLOW, verdicts: { opens: 'verified' }, promises: { greets: 'complete' } },
  loud: { decision: 'feedback', complaint: 'It is loud', verdicts: { greets: 'unknown' }, promises: {} },
  broken: { decision: 'error', complaint: null, verdicts: {}, promises: { greets: 'partial' } },
}

const CRITERIA: { readonly [criterion: string]: { criterionId: string; criterionText: string } } = {
  opens: { criterionId: 'AC-001', criterionText: 'The door opens at nine' },
  greets: { criterionId: 'AC-002', criterionText: 'Guests are greeted by name' },
}

/** A record as the fields of a turn. */
export function fieldsOfRecord(record: string) {
  const { decision, complaint, verdicts, promises } = saidIn(record)
  return {
    playerSummary: record,
    coachDecision: decision,
    issues:
      complaint === null
        ? []
        : [{ severity: 'blocking' as const, category: 'tests', description: complaint }],
    verifications: Object.entries(verdicts).map(([criterion, verdict]) => ({
      ...criterionNamed(criterion),
      status: verdict === 'rejected with evidence' ? ('rejected' as const) : verdict,
      evidence: verdict === 'rejected with evidence' ? 'It stayed shut' : null,
    })),
    promises: Object.entries(promises).map(([criterion, status]) => ({
      ...criterionNamed(criterion),
      status,
    })),
  }
}

export type Goals = {
  stopWhen: readonly StopReason[]
  budget: { minutes?: number; attemptsFailedInARow?: number; tokens?: number } | null
}

/** The resources used by a run and the runs before it in its chain. */
export type Used = { ms: number; failedInARow: number; tokens: number }

/** Prefix of the reason of a stall. No contract defines the rest. */
export const STALLED = 'stopped: UNRECOVERABLE_STALL'

/** Contract truth.md, "Writes": a budget without `stop_when: budget` implies it. */
export const hasGoals = ({ stopWhen, budget }: Goals): boolean =>
  stopWhen.length > 0 || Object.keys(budget ?? {}).length > 0

/** Returns the first reached goal, in the order of the contract. */
export function reachedGoal(
  turns: ReadonlyMap<number, string>,
  { stopWhen, budget }: Goals,
  used: Used,
): { stopReason: StopReason; reason: string } | null {
  const played = [...turns]
    .map(([turn, record]): Turn => ({ turn, ...saidIn(record) }))
    .sort((a, b) => a.turn - b.turn)
  const newest = played.at(-1)
  const { length: count } = countingIn(played)
  const reasons: { [R in StopReason]: string | null } = {
    approved: newest?.decision === 'approved' ? `goal reached: approved in turn ${newest.turn}` : null,
    all_verified: isAllProven(played)
      ? `goal reached: ${count === 1 ? 'the only criterion' : `all ${count} criteria`} verified in turn ${newest?.turn}`
      : null,
    all_observed: null, // no verification carries an observation
    stalled: shouldStop(played) ? STALLED : null,
    budget: spent(budget, used),
  }
  for (const stopReason of ['approved', 'all_verified', 'stalled', 'budget'] as const) {
    const isAsked = stopWhen.includes(stopReason) || stopReason === 'budget'
    const reason = isAsked ? reasons[stopReason] : null
    if (reason !== null) return { stopReason, reason }
  }
  return null
}

type Turn = Said & { turn: number }

function saidIn(record: string): Said {
  const said = RECORDS[record]
  if (said === undefined) throw new Error(`no record is called ${record}`)
  return said
}

function criterionNamed(name: string) {
  const criterion = CRITERIA[name]
  if (criterion === undefined) throw new Error(`no criterion is called ${name}`)
  return criterion
}

const namesIn = (lists: readonly object[]): string[] => [...new Set(lists.flatMap(Object.keys))]
const judgedIn = (turns: readonly Turn[]): string[] => namesIn(turns.map(({ verdicts }) => verdicts))
const promisedIn = (turns: readonly Turn[]): string[] => namesIn(turns.map(({ promises }) => promises))

/** "A criterion counts once anything but the Player has named it; while nothing has, the promised ones count". */
function countingIn(turns: readonly Turn[]): string[] {
  const judged = judgedIn(turns)
  return judged.length > 0 ? judged : promisedIn(turns)
}

/** `sticky`: a criterion that was verified once stays verified. */
const verifiedIn = (turns: readonly Turn[]): string[] =>
  countingIn(turns).filter((criterion) => turns.some(({ verdicts }) => verdicts[criterion] === 'verified'))

const isEachVerified = (turns: readonly Turn[]): boolean =>
  countingIn(turns).length > 0 && verifiedIn(turns).length === countingIn(turns).length

/** truth.md, section 4: contested by a rejection with evidence of its own, and not verified since. */
const isRefutedIn = (turns: readonly Turn[], criterion: string): boolean => {
  const last = turns.findLastIndex(({ verdicts }) => verdicts[criterion] === 'verified')
  return turns.slice(last + 1).some(({ verdicts }) => verdicts[criterion] === 'rejected with evidence')
}

/** A promised criterion that no judge has judged is not proven. */
const isAllProven = (turns: readonly Turn[]): boolean =>
  isEachVerified(turns) &&
  !countingIn(turns).some((criterion) => isRefutedIn(turns, criterion)) &&
  promisedIn(turns).every((criterion) => judgedIn(turns).includes(criterion))

function shouldStop(turns: readonly Turn[]): boolean {
  const counted = turns.filter(({ decision }) => decision !== 'error')
  const feedback = counted.slice(counted.findLastIndex(({ decision }) => decision === 'approved') + 1)
  const repeats = (length: number) => {
    const window = feedback.slice(-length)
    const sizes = window.map(({ turn }) => verifiedIn(turns.filter((other) => other.turn <= turn)).length)
    return (
      window.length === length &&
      new Set(window.map(({ complaint }) => complaint)).size === 1 &&
      new Set(sizes).size === 1
    )
  }
  const isStalled = (repeats(3) && verifiedIn(turns).length === 0) || (repeats(5) && !isEachVerified(turns))
  return isStalled && !isEachVerified(turns) && !isProofLost(turns)
}

/** "When the newest promise of every counting criterion is complete and none of them has a rejection with evidence". */
function isProofLost(turns: readonly Turn[]): boolean {
  const counting = countingIn(turns)
  const newestPromise = (criterion: string) =>
    turns.findLast(({ promises }) => criterion in promises)?.promises[criterion]
  const isRefuted = (criterion: string) =>
    turns.some(({ verdicts }) => verdicts[criterion] === 'rejected with evidence')
  return (
    counting.length > 0 &&
    counting.every((criterion) => newestPromise(criterion) === 'complete' && !isRefuted(criterion))
  )
}

function spent(budget: Goals['budget'], used: Used): string | null {
  const { minutes = Infinity, attemptsFailedInARow = Infinity, tokens = Infinity } = budget ?? {}
  if (used.ms >= minutes * 60_000)
    return `stopped: budget of ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} used`
  if (used.failedInARow >= attemptsFailedInARow)
    return `stopped: budget of ${attemptsFailedInARow} ${attemptsFailedInARow === 1 ? 'attempt' : 'attempts'} failed in a row used`
  return used.tokens >= tokens
    ? `stopped: budget of ${tokens} ${tokens === 1 ? 'token' : 'tokens'} used`
    : null
}
