import { expect, test } from 'vitest'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { migrate } from '../../src/graph/migrations.ts'
import { expectedEnds } from '../oracles/outcomes.ts'
import { captureCorpus } from '../support/capture-corpus.ts'
import { corpusRepositories, describeCorpus } from '../support/corpus.ts'
import { clientOf } from '../support/records.ts'

describeCorpus('outcomes of real sessions', () => {
  test('approvals, superseded sessions and proofs in the words of the Player are those of the files', {
    timeout: 600_000,
  }, async () => {
    const outcomes = new Map<string, number>()
    for (const { name, root } of corpusRepositories()) {
      const graph = EmbeddedGraph.open({ folder: null })
      await migrate(graph)
      await captureCorpus(graph, name, root)
      const client = clientOf(graph, name)
      const sessions = (await client.listWorlds({ limit: 500 })).items
      const attention = new Map(
        (await client.listAttention({ limit: 500 })).items.map((item) => [item.worldSlug, item]),
      )
      const nameOf = (task: string, world: number) => {
        const ofTask = sessions.filter(({ featureId, taskId }) => `${featureId} ${taskId}` === task)
        const inOrder = ofTask.toSorted((a, b) => (a.lastActivity < b.lastActivity ? -1 : 1))
        return inOrder[world - 1]
      }
      const ends = expectedEnds(root)
      expect(sessions).toHaveLength(ends.length)
      for (const { task, world, isApproved, supersededBy, bases } of ends) {
        const session = nameOf(task, world)
        const outcome = session?.outcome ?? ''
        const item = attention.get(session?.worldSlug ?? '')
        const kind = outcome.replace(/ by .*/, '')
        outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1)
        if (supersededBy !== null) {
          expect([outcome, item]).toEqual([
            `superseded by ${nameOf(task, supersededBy)?.worldSlug}`,
            undefined,
          ])
          continue
        }
        expect([task, /^(approved|regressed)/.test(outcome)]).toEqual([task, isApproved])
        if (!isApproved || bases === null) continue
        const isUnseen = bases.length > 0 && !bases.includes('judged')
        if (outcome === 'approved') {
          const unseen = item?.reason === 'only_players_words'
          expect([task, unseen]).toEqual([task, isUnseen])
          const repeated = bases.filter((basis) => basis !== 'bare').length
          if (unseen && repeated > 0) expect(item.sentence).toContain(`${repeated} of ${bases.length} proof`)
        }
      }
      await graph.close()
    }
    console.log(`Outcomes of sessions: ${JSON.stringify(Object.fromEntries(outcomes))}`)
    expect([...outcomes.keys()]).toContain('approved')
  })
})
