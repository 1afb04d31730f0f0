import { BaseRetriever } from '@langchain/core/retrievers'
import { RunnableLambda } from '@langchain/core/runnables'
import { fakeModel } from '@langchain/core/testing'
import { describe, expect, test } from 'vitest'
import { agent, done, read, tracked } from '../../../test/support/small-agent.ts'

describe('outside of the conversation is', () => {
  test('a tool that the chain itself runs', async () => {
    const { tracker, config, passed } = tracked()
    const chain = RunnableLambda.from((path: string, options) => read.invoke({ path }, options)).pipe(
      agent(fakeModel().respond(done)),
    )
    await chain.invoke('go', config)
    expect(passed()).toEqual(['idle', 'streaming', 'idle'])
    expect(tracker.state).toMatchObject({ completedToolCalls: [], iteration: 1 })
  })

  test('a model that a retriever asks', async () => {
    class Rephrasing extends BaseRetriever {
      lc_namespace = ['test']
      override async _getRelevantDocuments(
        query: string,
        manager?: Parameters<BaseRetriever['_getRelevantDocuments']>[1],
      ) {
        await fakeModel().respond(done).invoke(query, { callbacks: manager!.getChild() })
        return []
      }
    }
    const { tracker, config } = tracked()
    await new Rephrasing()
      .pipe(() => 'go')
      .pipe(agent(fakeModel().respond(done)))
      .invoke('go', config)
    expect(tracker.state).toMatchObject({ iteration: 1, status: 'completed' })
    const end = tracker.state
    await new Rephrasing().invoke('go', config)
    expect(tracker.state).toBe(end)
  })
})
