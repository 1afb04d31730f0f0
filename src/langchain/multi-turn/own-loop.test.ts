import { type AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { RunnableLambda } from '@langchain/core/runnables'
import { fakeModel } from '@langchain/core/testing'
import { describe, expect, test } from 'vitest'
import {
  agent,
  type Config,
  call,
  done,
  idsOf,
  type Model,
  ROUND,
  runTool,
  tracked,
} from '../../../test/support/small-agent.ts'

describe('a loop that a caller writes', () => {
  const prompted = (model: Model) => RunnableLambda.from((messages: BaseMessage[]) => messages).pipe(model)

  /** The tracker sees the returned value of a chain; the test continues with the answer itself. */
  const returning = (model: Model, shape: (messages: BaseMessage[]) => unknown) => {
    const answers: AIMessage[] = []
    const chain = RunnableLambda.from(async (messages: BaseMessage[], options) => {
      const answer = await model.invoke(messages, options)
      answers.push(answer)
      return shape([...messages, answer])
    })
    return {
      invoke: async (messages: BaseMessage[], options: Config) => {
        await chain.invoke(messages, options)
        return answers.at(-1)!
      },
    }
  }

  test.each([
    ['a bare model', (model: Model) => model],
    ['a chain around the model', prompted],
    ['a chain that returns the messages', (model: Model) => returning(model, (messages) => messages)],
    ['a graph that returns its state', (model: Model) => returning(model, (messages) => ({ messages }))],
  ])('of %s and its tools is one conversation', async (_, wrap) => {
    const { tracker, config, passed } = tracked()
    const model = wrap(
      fakeModel()
        .respondWithTools([call('c1', 'read'), call('c2', 'grep')])
        .respond(done),
    )
    const messages: BaseMessage[] = [new HumanMessage('go')]
    const answer = await model.invoke(messages, config)
    expect(tracker.state).toMatchObject({ status: 'running', streamingState: 'paused', iteration: 1 })
    messages.push(answer, ...(await Promise.all(answer.tool_calls!.map((each) => runTool(each, config)))))
    expect(tracker.state).toMatchObject({ status: 'running', streamingState: 'resuming' })
    await model.invoke(messages, config)
    expect(passed()).toEqual(['idle', ...ROUND, 'streaming', 'idle'])
    expect(tracker.state).toMatchObject({ iteration: 2, terminationReason: 'natural_completion' })
    expect(idsOf(tracker.state.completedToolCalls)).toEqual(['c1', 'c2'])
  })

  test('a loop continues if the model receives results of tools that LangChain did not see', async () => {
    const { tracker, config } = tracked()
    const model = fakeModel()
      .respondWithTools([call('c1', 'read')])
      .respond(done)
    const answer = await model.invoke('go', config)
    await model.invoke([answer, new ToolMessage('result', 'c1')], config)
    expect(tracker.state).toMatchObject({ iteration: 2, status: 'completed' })
  })

  test('the next conversation cancels an abandoned loop', async () => {
    const { tracker, changes, config } = tracked()
    await fakeModel()
      .respondWithTools([call('c1', 'read')])
      .invoke('go', config)
    await agent(fakeModel().respond(done)).invoke('something else', config)
    const ends = changes.filter(({ terminationReason }) => terminationReason !== undefined)
    expect(ends.map(({ terminationReason }) => terminationReason)).toEqual([
      'cancelled',
      'natural_completion',
    ])
    expect(idsOf(ends[0]!.pendingToolCalls)).toEqual(['c1'])
    expect(tracker.state).toMatchObject({ iteration: 1, pendingToolCalls: [] })
    expect(tracker.state.runId).not.toBe(ends[0]!.runId)
  })
})
