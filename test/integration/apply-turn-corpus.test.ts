import { expect, test } from 'vitest'
import { groupBy } from '../../src/core/group-by.ts'
import { taskKey, worldKey } from '../../src/core/keys.ts'
import { foldTask } from '../../src/rules/fold-task.ts'
import { encodeState } from '../../src/rules/world-state.ts'
import { describeCorpus } from '../support/corpus.ts'
import { expectSameAnswers, toCaptured } from '../support/folded-world.ts'
import { importCorpus } from '../support/imported-corpus.ts'

describeCorpus('records of real sessions', () => {
  test('their fold gives the answers of the graph: criteria, promises, stalls and progress of every session', {
    timeout: 900_000,
  }, async () => {
    let [sessions, largest] = [0, 0]
    const { graph, repositories } = await importCorpus()
    for (const repository of repositories)
      for (const { client, project, report } of [repository.declared, repository.undeclared]) {
        const worlds = (await client.listWorlds({ limit: 500 })).items
        const tasks = groupBy(worlds, ({ featureId, taskId }) => taskKey(project, featureId, taskId))
        for (const [key, ofTask] of tasks) {
          const captures = []
          for (const { worldSlug } of ofTask) {
            for (const turn of (await client.listTurns({ worldSlug, limit: 500 })).items) {
              const { turnNumber } = turn
              const older = (await client.getTurnHistory({ worldSlug, turnNumber, limit: 500 })).items
              const byAge = [...older, turn].toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
              captures.push(...byAge.map((record, i) => toCaptured(record, i + 1)))
            }
          }
          const { featureId = '', taskId = '' } = ofTask[0] ?? {}
          const declared =
            report.specifications > 0 ? await client.getSpecification({ featureId, taskId }) : null
          const versions =
            declared === null
              ? []
              : [
                  {
                    declaredAt: declared.declaredAt,
                    listings: declared.criteria.map(({ criterionId: label, text, kind }) => ({
                      label,
                      text,
                      kind,
                    })),
                  },
                ]
          const task = foldTask(key, captures, versions)
          for (const { worldSlug, currentTurn } of ofTask) {
            if (currentTurn === 0) continue
            await expectSameAnswers(graph, task, { project, featureId, taskId, worldSlug })
            sessions++
            const { state } = task.worlds.get(worldKey(project, worldSlug)) ?? {}
            if (state !== undefined) largest = Math.max(largest, encodeState(key, state).length)
          }
        }
      }
    console.log(`${sessions} sessions were folded; the largest state has ${largest} characters`)
    expect(sessions).toBeGreaterThan(100)
  })
})
