/** Derives the moves from one state of a conversation to the state that matches its runs. */
import { ONWARD, type StreamingState } from '../../autobuild/state/streaming-state.ts'

type AtWork = Readonly<{ models: boolean; tools: boolean; waitingCalls: boolean }>

/**
 * Returns the states from the current one to the one that matches the running work, each by a legal move. There may be several:
 * if tools run without events of LangChain, the next model call is the first sign of them.
 * @example
 * steps('paused', { models: true, tools: false, waitingCalls: false }) // ['tool_execution', 'resuming', 'streaming']
 */
export function steps(from: StreamingState, atWork: AtWork): StreamingState[] {
  const passed: StreamingState[] = []
  const target = chooseTarget(from, atWork)
  for (let state = from; state !== target; passed.push(state)) state = ONWARD.get(state)?.[1] ?? target
  return passed
}

/** Chooses one state for parallel branches of a chain: a running tool comes before a model, and a model before a wait. */
function chooseTarget(from: StreamingState, { models, tools, waitingCalls }: AtWork): StreamingState {
  if (tools) return 'tool_execution'
  if (models) return 'streaming'
  if (waitingCalls) return from === 'streaming' ? 'paused' : from
  return from === 'tool_execution' ? 'resuming' : from
}
