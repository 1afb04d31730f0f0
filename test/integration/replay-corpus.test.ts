import { expect, test } from 'vitest'
import { everyItem } from '../../src/core/pages.ts'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { migrate } from '../../src/graph/migrations.ts'
import { naturalOrder } from '../oracles/identity.ts'
import { expectedReplays } from '../oracles/replays.ts'
import { captureCorpus } from '../support/capture-corpus.ts'
import { corpusRepositories, describeCorpus } from '../support/corpus.ts'
import { clientOf } from '../support/records.ts'

type Replayed = { worldSlug: string; turns: number; afterAllProven: number[]; judgedAgain: number[] }

describeCorpus('replays of real sessions', () => {
  test('count the turns after everything was proven and the turns judged again, as the files show them', {
    timeout: 600_000,
  }, async () => {
    const sums = { sessions: 0, turns: 0, repeated: 0, afterAllProven: 0, judgedAgain: 0 }
    for (const { name, root } of corpusRepositories()) {
      const graph = EmbeddedGraph.open({ folder: null })
      await migrate(graph)
      await captureCorpus(graph, name, root)
      const client = clientOf(graph, name)
      const replayed = new Map<string, Replayed[]>()
      const pages = (cursor: string | null) => client.replaySessions({ policy: 'sticky', cursor })
      for await (const { featureId, taskId, worldSlug, turns, policies } of everyItem(pages)) {
        const counted = policies.flatMap((policy) => policy.counted)
        const turnsOf = (rule: string) => counted.filter((each) => each.rule === rule).map(({ turn }) => turn)
        const task = `${featureId} ${taskId}`
        const [afterAllProven, judgedAgain] = [turnsOf('after_all_proven'), turnsOf('judged_again')]
        replayed.set(task, [...(replayed.get(task) ?? []), { worldSlug, turns, afterAllProven, judgedAgain }])
      }
      const expected = expectedReplays(root)
      expect([...replayed.values()].flat()).toHaveLength(expected.length)
      for (const { task, world, turns, afterAllProven, judgedAgain } of expected) {
        // The slug of a re-run is that of the first session, followed by `.2`, `.3` and so on.
        const sessions = (replayed.get(task) ?? []).toSorted((a, b) => naturalOrder(a.worldSlug, b.worldSlug))
        const { worldSlug: _, ...found } = sessions[world - 1] ?? { worldSlug: '' }
        expect([task, world, found]).toEqual([
          task,
          world,
          { turns: turns.length, afterAllProven, judgedAgain },
        ])
        sums.sessions++
        sums.turns += turns.length
        sums.repeated += Math.max(0, turns.length - 1)
        sums.afterAllProven += afterAllProven.length
        sums.judgedAgain += judgedAgain.length
      }
      await graph.close()
    }
    console.log(`Replays of sessions: ${JSON.stringify(sums)}`)
    expect(sums).toMatchObject({ repeated: 39, afterAllProven: 21 })
  })
})
