/** Declares which fields of a turn the Player sets, and which the Coach sets. */
import type * as z from 'zod'
import { listProblems, type Problem, TurngraphError } from '../core/errors.ts'
import { LIMITS, map } from '../core/fields.ts'
import { parseInput, parseWire } from '../core/wire-form.ts'
import { keepEnd, MAX_OUTPUT_TAIL_BYTES } from '../memory/record/observation.ts'
import {
  criterionId,
  listOfVerifications,
  turnInput,
  type VerificationInput,
  verificationInput,
} from '../memory/record/record.ts'
import { resultStatus } from '../memory/record/words.ts'
import type { MODES } from '../rules/values.ts'

const OF_BOTH = {
  testsPassed: true,
  testsFailed: true,
  coverage: true,
  lessonsFromTurn: true,
  whatToTryNext: true,
  transcriptSessionIds: true,
  usage: true,
  extra: true,
} as const

/** Half of the turn record that a Player may set. A Player that could set verifications would judge itself. */
export const playerHalf = turnInput.pick({
  playerSummary: true,
  playerDecision: true,
  player: true,
  blockersFound: true,
  filesModified: true,
  progressSummary: true,
  promises: true,
  commit: true,
  ...OF_BOTH,
})

export const coachHalf = turnInput
  .extend({
    acceptanceCriteriaStatus: map(criterionId, resultStatus).optional(),
    verifications: listOfVerifications(verificationInput.extend({ status: resultStatus })).optional(),
  })
  .pick({
    coachDecision: true,
    judge: true,
    coachFeedback: true,
    acceptanceCriteriaStatus: true,
    verifications: true,
    filesSource: true,
    issues: true,
    gates: true,
    archScore: true,
    ...OF_BOTH,
  })

export type PlayerHalf = z.output<typeof playerHalf>
export type CoachHalf = z.output<typeof coachHalf>

/** A turn record without its scope, which comes from its attempt. */
export type RoundRecord = PlayerHalf &
  CoachHalf & { mode: (typeof MODES)[number]; startedAt: string; completedAt: string }

/** Parses the output of an agent as its half, in camelCase or snake_case. @throws `invalid_request` with each wrong field */
export function parseHalf<S extends z.ZodType>(half: S, given: unknown, who: string): z.output<S> {
  if (given === null || typeof given !== 'object' || Array.isArray(given) || isMessage(given)) {
    throw badOutput(
      who,
      "must be an object of the turn record's fields; parse it, or give the model a structured output",
    )
  }
  const bytes = measureSize(given)
  if (bytes === null)
    throw badOutput(who, 'must be plain data: it holds itself, or what JSON has no form for')
  if (bytes > MAX_BYTES)
    throw badOutput(who, `is larger than ${MAX_BYTES / 1024} KiB (${bytes} bytes); shorten it`)
  const fitting: Record<string, unknown> = { ...given }
  for (const notes: string[] = []; ; ) {
    try {
      return parseForm(half, fitting, who)
    } catch (error) {
      const found = leaveOutEntries(fitting, listProblems(error))
      if (found.length === 0) throw error
      notes.push(...found)
      fitting.extra = { ...Object(fitting.extra), [`${who}_left_out`]: notes.slice(0, MAX_NOTES) }
    }
  }
}

/** Parses a half in the form that the names of its fields suggest, otherwise in the other form. */
function parseForm<S extends z.ZodType>(half: S, given: object, who: string): z.output<S> {
  const wire = Object.keys(given).some((key) => key.includes('_'))
  // The wire form has no checks of entries, such as that of an empty issue.
  const parseWhole = () => parseInput(half, parseWire(half, given, who), who)
  const parseOwn = () => parseInput(half, given, who)
  const [meant, other] = wire ? [parseWhole, parseOwn] : [parseOwn, parseWhole]
  try {
    return meant()
  } catch (error) {
    try {
      return other()
    } catch {
      throw error
    }
  }
}

/** Maximum number of omitted values that a turn names. */
const MAX_NOTES = 100

/** Matches a place in a list or map whose entries are independent statements: an invalid entry does not affect the others. */
const IN_ENTRIES =
  /^(?:(issues|verifications|promises)\[(\d+)\](?:\.(\w+))?|(acceptanceCriteriaStatus|acceptance_criteria_status|gates)\.(.+))/s

const OTHER_FORM = /\.criterion(?:Id|_id)$/

/** Fields without which an entry is empty or has another meaning. */
const NEEDED = new Set(['criterionId', 'criterion_id', 'status', 'observation', 'severity', 'description'])

/**
 * Removes the fields of entries that do not fit, or the whole entry if the field is needed.
 *
 * @returns the problems as texts; an empty list, without a change, if a value outside of entries does not fit
 */
function leaveOutEntries(half: Record<string, unknown>, problems: readonly Problem[]): string[] {
  const places = problems.map(({ path }) => IN_ENTRIES.exec(path) ?? [])
  if (places.some(([place]) => place === undefined)) return []
  // An id under the name of the other form: the answer has its verdicts, and not one of them would count.
  if (problems.some(({ path, message }) => OTHER_FORM.test(path) && message.startsWith('is not a known')))
    return []
  for (const [, , , , map, key = ''] of places) if (map !== undefined) half[map] = omit(half[map], [key])
  for (const list of new Set(places.flatMap(([, name]) => name ?? [])))
    half[list] = (half[list] as object[]).flatMap((entry, i) => {
      const own = places.filter(([, name, at]) => name === list && Number(at) === i)
      const fields = own.map(([, , , field = '']) => field)
      const isNeeded = fields.some((field) => NEEDED.has(field) || !Object.hasOwn(Object(entry), field))
      return isNeeded ? [] : [omit(entry, fields)]
    })
  return problems.map(({ path, message }) => `${path}: ${message}`)
}

const omit = (from: unknown, keys: readonly string[]): object =>
  Object.fromEntries(Object.entries(Object(from)).filter(([key]) => !keys.includes(key)))

type HalfUsage = NonNullable<PlayerHalf['usage']>

/** Joins the usage of both halves. Each half reports the tokens of its own agent. */
const joinUsage = (player: HalfUsage, coach: HalfUsage): HalfUsage => ({
  player: player.player ?? coach.player,
  coach: coach.coach ?? player.coach,
})

/** Maximum size of a half: both fit into one request of 1 MiB. */
const MAX_BYTES = 480 * 1024

const OUTPUT_STEP = 256

/** Shortens the outputs of commands, longest first, until a record fits into one request. Then leaves out observations. */
export function fitOutputs<R extends CoachHalf>(record: R): R {
  let fitted = record
  for (let kept = MAX_OUTPUT_TAIL_BYTES; kept > 0 && (measureSize(fitted) ?? 0) > 2 * MAX_BYTES; ) {
    kept -= OUTPUT_STEP
    fitted = { ...record, verifications: record.verifications?.map((each) => shortenOutput(each, kept)) }
  }
  return leaveOutObservations(fitted)
}

/** Leaves out observations until a record fits. The evidence of each verification still names the command and its end. */
function leaveOutObservations<R extends CoachHalf>(record: R): R {
  let excess = (measureSize(record) ?? 0) - 2 * MAX_BYTES
  let count = 0
  if (excess <= 0) return record
  const verifications = record.verifications?.map(({ observation, ...each }) => {
    if (observation == null || excess <= 0) return { ...each, observation }
    excess -= measureSize(observation) ?? 0
    count++
    return each
  })
  return { ...record, verifications, extra: { ...record.extra, observations_left_out: count } }
}

function shortenOutput(verification: VerificationInput, kept: number): VerificationInput {
  const { observation } = verification
  const outputTail = observation?.outputTail ?? ''
  if (observation == null || Buffer.byteLength(outputTail) <= kept) return verification
  return {
    ...verification,
    observation: { ...observation, outputTail: `(cut) ${keepEnd(outputTail, kept)}` },
  }
}

function measureSize(given: object): number | null {
  try {
    return Buffer.byteLength(JSON.stringify(given))
  } catch {
    return null
  }
}

/** True for a model's answer in the form of LangChain. */
const isMessage = (given: object): boolean => 'lc_serializable' in given

const badOutput = (who: string, form: string): TurngraphError =>
  new TurngraphError('invalid_request', `${who}: the output ${form}`, {
    details: { problems: [{ path: '', message: form }] },
  })

/** Joins both halves. Lists are concatenated; in other fields the Coach's value takes precedence. */
export function joinHalves(player: PlayerHalf, coach: CoachHalf): PlayerHalf & CoachHalf {
  const said = Object.fromEntries(Object.entries(coach).filter(([, value]) => value != null))
  return {
    ...player,
    ...(said as CoachHalf),
    ...joinLists('lessonsFromTurn', player, coach),
    ...joinLists('transcriptSessionIds', player, coach),
    ...(player.usage != null && coach.usage != null && { usage: joinUsage(player.usage, coach.usage) }),
    ...(player.extra !== undefined &&
      coach.extra !== undefined && { extra: { ...player.extra, ...coach.extra } }),
  }
}

function joinLists(
  field: 'lessonsFromTurn' | 'transcriptSessionIds',
  player: PlayerHalf,
  coach: CoachHalf,
): Partial<PlayerHalf> {
  if (player[field] === undefined || coach[field] === undefined) return {}
  return { [field]: [...new Set([...player[field], ...coach[field]])].slice(0, LIMITS.entries) }
}
