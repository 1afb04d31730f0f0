/** Derives which moves lead from one state of a conversation to the one that its runs are in. */
import { ONWARD, type StreamingState } from '../../autobuild/state/streaming-state.ts'

/** What goes on in a conversation: runs of models, runs of tools, calls that wait for one. */
type AtWork = Readonly<{ models: boolean; tools: boolean; waitingCalls: boolean }>

/**
 * The states that a conversation passes through to where the work at hand says it is, in order and each by a legal
 * move: where tools run out of LangChain's sight, the next model call is the first that is heard of them.
 *
 * @example
 * steps('paused', { models: true, tools: false, waitingCalls: false }) // ['tool_execution', 'resuming', 'streaming']
 */
export function steps(from: StreamingState, atWork: AtWork): StreamingState[] {
  const passed: StreamingState[] = []
  const target = chooseTarget(from, atWork)
  for (let state = from; state !== target; passed.push(state)) state = ONWARD.get(state)?.[1] ?? target
  return passed
}

/** Branches of a chain run side by side: a tool at work counts for more than a model, which counts for more than a wait. */
function chooseTarget(from: StreamingState, { models, tools, waitingCalls }: AtWork): StreamingState {
  if (tools) return 'tool_execution'
  if (models) return 'streaming'
  if (waitingCalls) return from === 'streaming' ? 'paused' : from
  return from === 'tool_execution' ? 'resuming' : from
}
