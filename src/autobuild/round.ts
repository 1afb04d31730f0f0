/** Plays one round: the Player, then the Coach, then the record of the turn. */
import type { RunnableConfig } from '@langchain/core/runnables'
import { LIMITS } from '../core/fields.ts'
import { toInstant } from '../core/instants.ts'
import { scrubText } from '../core/scrub/scrub.ts'
import type { Role } from '../memory/criteria/views.ts'
import { findCoachDecision } from '../memory/record/words.ts'
import { sliceWhole } from '../rules/cut-line.ts'
import { normalizeLabel } from '../rules/labels.ts'
import { type Agent, askAgent, type CoachInput, type PlayerInput } from './agents.ts'
import type { GivenContext, RoundEvent } from './events.ts'
import {
  type CoachHalf,
  coachHalf,
  fitOutputs,
  joinHalves,
  type PlayerHalf,
  parseHalf,
  playerHalf,
  type RoundRecord,
} from './fields-by-role.ts'
import { type CriterionBefore, suggestNextFocus } from './next-focus.ts'
import { listFailed, renderSeen, type Seen, type SeenCommand } from './see-commands.ts'

export type Agents<Task, Report> = {
  player: Agent<PlayerInput<Task>>
  coach: Agent<CoachInput<Task, Report>>
  task: Task
}

export type Round<Task, Report> = Agents<Task, Report> & {
  turn: number
  contextFor: (role: Role) => Promise<GivenContext>
  prior: () => { playerDecision: string; coachDecision: string } | null
  /** True if an earlier attempt at this turn ended without a record: its work may be incomplete. */
  interrupted: boolean
  config?: Partial<RunnableConfig> | undefined
  signal: AbortSignal
  /** Receives the Player's half of the record before the Coach begins. */
  onPlayed?: (half: RoundRecord) => void
  /** Runs the commands of the task's criteria; absent if none are to be run. */
  see?: (() => Promise<Seen>) | undefined
}

const SHOWN_ERROR_CHARACTERS = 2_000

/**
 * Plays one Player/Coach round. Returns the record of the turn, even if an agent throws: that turn has failed, and the next one
 * starts with recovery. Rejects if the signal is aborted.
 */
export async function* playRound<Task, Report>(
  round: Round<Task, Report>,
): AsyncGenerator<RoundEvent, RoundRecord> {
  const { turn, task, signal } = round
  const startedAt = toInstant(new Date())
  const before = await round.contextFor('player')
  yield { type: 'context', turn, role: 'player', ...before }
  const mode = chooseMode(round)
  const ended = () => ({ mode, startedAt, completedAt: toInstant(new Date()) })

  const input = { context: before.context, task, turn }
  const played = await attempt('player', round, async (config) => {
    const output = await askAgent(round.player, input, config)
    return { output, half: parseHalf(playerHalf, output, 'player') }
  })
  if ('error' in played) {
    yield { type: 'agent_failed', turn, role: 'player', error: played.error }
    return { ...failedPlayer(played.error), ...ended() }
  }
  round.onPlayed?.({ ...played.half, ...ended() })
  yield { type: 'player', turn, output: played.output }

  signal.throwIfAborted()
  const seen = await round.see?.()
  if (seen !== undefined) yield { type: 'seen', turn, commands: seen.commands }
  const forCoach = addSeen(await round.contextFor('coach'), seen)
  yield { type: 'context', turn, role: 'coach', ...forCoach }
  const judged = await attempt('coach', round, async (config) => {
    const output = await askAgent(
      round.coach,
      // The output of a Player is the input of its Coach: Turngraph has no schema for it.
      {
        context: forCoach.context,
        task,
        turn,
        player: played.output as Report,
        ...(seen !== undefined && { seen: seen.commands }),
      },
      config,
    )
    return { output, half: parseHalf(coachHalf, output, 'coach') }
  })
  if ('error' in judged) {
    yield { type: 'agent_failed', turn, role: 'coach', error: judged.error }
    const failed = { ...played.half, ...failedCoach(judged.error), ...ended() }
    return fitOutputs({ ...failed, ...(seen !== undefined && { verifications: seen.verifications }) })
  }
  yield { type: 'coach', turn, output: judged.output }
  const half = seen === undefined ? judged.half : withSeen(judged.half, seen)
  const record = joinHalves(played.half, half)
  const focus = record.whatToTryNext ?? suggestNextFocus(half, openBefore(forCoach), record.promises)
  return fitOutputs({ ...record, ...(focus !== null && { whatToTryNext: focus }), ...ended() })
}

function addSeen(given: GivenContext, seen: Seen | undefined): GivenContext {
  if (seen === undefined) return given
  const context = [given.context, renderSeen(seen.commands)].filter((part) => part !== null).join('\n\n')
  return { ...given, context }
}

/**
 * Adds the observations to the Coach's half, behind its own verdicts. An approval over a failed command is recorded as feedback,
 * because the session must not end while a declared command fails. Above the limit, drops the Coach's verdicts that agree with a
 * command.
 */
function withSeen(half: CoachHalf, { commands, verifications }: Seen): CoachHalf {
  const own = half.verifications ?? []
  const added = { ...half, verifications: [...own, ...verifications] }
  if (added.verifications.length > LIMITS.entries) {
    const seen = new Set(verifications.map(toVerdict))
    const unseen = own.filter((each) => !seen.has(toVerdict(each)))
    added.verifications = [...unseen, ...verifications].slice(-LIMITS.entries)
    added.extra = {
      ...half.extra,
      verdicts_left_out: own.length + verifications.length - added.verifications.length,
    }
  }
  const failed = listFailed(commands)
  if (failed.length === 0 || findCoachDecision(half.coachDecision ?? '') !== 'approved') return added
  return {
    ...added,
    coachDecision: 'feedback',
    issues: [...(half.issues ?? []), ...failed.map(toIssue)].slice(-LIMITS.entries),
    extra: { ...added.extra, coach_decision_given: half.coachDecision ?? null },
  }
}

const toVerdict = ({ criterionId, status }: { criterionId: string; status: string }): string =>
  `${status} ${normalizeLabel(criterionId)}`

const toIssue = ({ criteria, evidence }: SeenCommand) => ({
  severity: 'blocking' as const,
  category: 'verify',
  description: `The Coach approved, but ${evidence}`,
  criterionIds: [...criteria],
})

/** Returns the states of the criteria that the Coach received, including promised ones that were never judged. */
function openBefore({ continuation }: GivenContext): CriterionBefore[] {
  if (continuation === null) return []
  const listed = new Set(continuation.criteria.map(({ key }) => key))
  const promised = continuation.promisedNotJudged
    .filter(({ key }) => !listed.has(key))
    .map(({ criterionId, key, text }) => ({
      criterionId,
      key,
      text,
      aliases: [{ label: criterionId, source: 'player' }],
      state: 'pending' as const,
    }))
  return [...promised, ...continuation.criteria]
}

async function attempt<T>(
  role: Role,
  { config, turn, signal }: Pick<Round<unknown, unknown>, 'config' | 'turn' | 'signal'>,
  work: (config: Partial<RunnableConfig> & { signal: AbortSignal }) => Promise<T>,
): Promise<T | { error: unknown }> {
  try {
    const metadata = { ...config?.metadata, turn, role }
    return await work({ ...config, runName: role, metadata, signal })
  } catch (error) {
    signal.throwIfAborted()
    return { error }
  }
}

/** Chooses the mode of a turn: seed 000's TurnMode. */
function chooseMode({
  turn,
  interrupted,
  prior,
}: Pick<Round<unknown, unknown>, 'turn' | 'interrupted' | 'prior'>): RoundRecord['mode'] {
  const before = prior()
  const failed = before?.playerDecision === 'failed' || before?.coachDecision === 'error'
  if (interrupted || failed) return 'recovering_state'
  return turn === 1 ? 'fresh_start' : 'continuing_work'
}

export const failedPlayer = (error: unknown): PlayerHalf & CoachHalf => ({
  playerSummary: `The Player failed: ${describeError(error)}`,
  playerDecision: 'failed',
  coachDecision: 'error',
})

/** An error of a Coach may reveal how it judges, so it appears only in the Coach's own view (invariant 9, judge isolation). */
const failedCoach = (error: unknown): CoachHalf => ({
  coachDecision: 'error',
  coachFeedback: 'The Coach failed: there is no verdict on this turn.',
  issues: [
    {
      severity: 'advisory',
      category: 'coach_error',
      description: 'The Coach failed',
      details: { error: describeError(error) },
    },
  ],
})

/** Converts an error or any other thrown value to text that can be stored. Masks it first: half of a secret is not recognized. */
function describeError(thrown: unknown): string {
  const text = toMessage(thrown).replaceAll('\0', '\u{FFFD}').toWellFormed()
  return sliceWhole(scrubText(sliceWhole(text, LIMITS.textBytes)), SHOWN_ERROR_CHARACTERS)
}

function toMessage(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
  } catch {
    return 'it threw what has no text'
  }
}
