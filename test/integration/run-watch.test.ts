import { expect, test } from 'vitest'
import { untilEnded } from '../../src/cli/until-ended.ts'
import { useGraph } from '../contract/store.ts'
import { memory } from '../support/engines.ts'
import { clientOf, FEATURE, TASK } from '../support/records.ts'

const handles = useGraph(memory)

async function startedRun() {
  const client = clientOf(handles.graph)
  await client.createWorld({ featureId: FEATURE, taskId: TASK, worldSlug: 'w' })
  const { turnRunId = '' } = await client.runTurn({ worldSlug: 'w', turnCount: 2 })
  const asked = () => client.getTurnRunStatus({ turnRunId })
  return { client, turnRunId, asked }
}

test('a watch of a run ends with an error if its world is deleted before the first event', async () => {
  const { client, turnRunId, asked } = await startedRun()
  let isFirst = true
  const waiting = untilEnded(
    client,
    async () => {
      const status = await asked()
      if (isFirst) {
        isFirst = false
        await client.cancelTurnRun({ turnRunId, abort: true })
        await client.deleteWorld({ worldSlug: 'w' })
      }
      return status
    },
    new AbortController().signal,
  )
  await expect(waiting).rejects.toMatchObject({ code: 'world_deleted' })
})

test('a watch of a run returns its outcome', async () => {
  const { client, turnRunId, asked } = await startedRun()
  const waiting = untilEnded(client, asked, new AbortController().signal)
  await client.cancelTurnRun({ turnRunId, abort: true })
  expect(await waiting).toMatchObject({ status: 'cancelled', turnRunId })
})
