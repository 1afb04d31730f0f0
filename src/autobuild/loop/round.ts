import type { RunnableConfig } from '@langchain/core/runnables'
import type { Role } from '../../criteria/shown.ts'
import { instantOf } from '../../instant.ts'
import { type Agent, ask, type CoachInput, type PlayerInput } from './agents.ts'
import type { GivenContext, RoundEvent } from './events.ts'
import { coachHalf, joined, parseHalf, playerHalf, type RoundRecord } from './halves.ts'

export type Agents<Task> = { player: Agent<PlayerInput<Task>>; coach: Agent<CoachInput<Task>>; task: Task }

export type Round<Task> = Agents<Task> & {
  turn: number
  contextFor: (role: Role) => Promise<GivenContext>
  /** How the turn before ended, as far as that is known. */
  prior: () => { playerDecision: string; coachDecision: string } | null
  /** An earlier attempt at this turn ended without a record: its work may lie half done. */
  interrupted: boolean
  /** What LangChain is told of the run, such as callbacks. */
  config?: Partial<RunnableConfig> | undefined
  signal: AbortSignal
}

const SHOWN_ERROR_CHARACTERS = 2_000

/**
 * One Player/Coach round: Player with its context, Coach with its own. Answers the record of the turn, also where an
 * agent throws: that turn has failed, and the next one starts by recovering. Rejects where the signal is aborted.
 */
export async function* playRound<Task>(round: Round<Task>): AsyncGenerator<RoundEvent, RoundRecord> {
  const { turn, task, signal } = round
  const startedAt = instantOf(new Date())
  const known = await round.contextFor('player')
  yield { type: 'context', turn, role: 'player', ...known }
  const mode = modeOf(round)
  const ended = () => ({ mode, startedAt, completedAt: instantOf(new Date()) })

  const input = { context: known.context, task, turn }
  const played = await attempt('player', round, async (config) => {
    const output = await ask(round.player, input, config)
    return { output, half: parseHalf(playerHalf, output, 'player') }
  })
  if ('error' in played) {
    yield { type: 'agent_failed', turn, role: 'player', error: played.error }
    const playerSummary = `The Player failed: ${shown(played.error)}`
    return { playerSummary, playerDecision: 'failed', coachDecision: 'error', ...ended() }
  }
  yield { type: 'player', turn, output: played.output }

  signal.throwIfAborted()
  const proven = await round.contextFor('coach')
  yield { type: 'context', turn, role: 'coach', ...proven }
  const judged = await attempt('coach', round, async (config) => {
    const output = await ask(
      round.coach,
      { context: proven.context, task, turn, player: played.output },
      config,
    )
    return { output, half: parseHalf(coachHalf, output, 'coach') }
  })
  if ('error' in judged) {
    yield { type: 'agent_failed', turn, role: 'coach', error: judged.error }
    const coachFeedback = `The Coach failed: ${shown(judged.error)}`
    return { ...played.half, coachDecision: 'error', coachFeedback, ...ended() }
  }
  yield { type: 'coach', turn, output: judged.output }
  return { ...joined(played.half, judged.half), ...ended() }
}

async function attempt<T>(
  role: Role,
  { config, turn, signal }: Pick<Round<unknown>, 'config' | 'turn' | 'signal'>,
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

/** Seed 000's TurnMode. */
function modeOf({
  turn,
  interrupted,
  prior,
}: Pick<Round<unknown>, 'turn' | 'interrupted' | 'prior'>): RoundRecord['mode'] {
  const before = prior()
  const failed = before?.playerDecision === 'failed' || before?.coachDecision === 'error'
  if (interrupted || failed) return 'recovering_state'
  return turn === 1 ? 'fresh_start' : 'continuing_work'
}

const shown = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, SHOWN_ERROR_CHARACTERS).toWellFormed()
