import { expect, test } from 'vitest'
import { findTaskFolders } from '../../src/artifacts/folders.ts'
import { readFolders } from '../../src/artifacts/read.ts'
import { parseWire } from '../../src/core/wire-form.ts'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { migrate } from '../../src/graph/migrations.ts'
import { normalizeTurn } from '../../src/memory/record/normalize.ts'
import { type CaptureRequest, captureRequest } from '../../src/memory/record/record.ts'
import { applyCapture, emptyTask } from '../../src/rules/fold-task.ts'
import { finalKeys } from '../../src/rules/progress.ts'
import { listVerifications } from '../../src/rules/turn-entries.ts'
import { type Graded, gradedVerdicts } from '../oracles/bases.ts'
import { captureCorpus } from '../support/capture-corpus.ts'
import { corpusRepositories, describeCorpus } from '../support/corpus.ts'
import { toCaptured } from '../support/folded-world.ts'
import { clientOf } from '../support/records.ts'

/** Grades the verified verdicts of a repository by the state of their session right after their turn. */
async function gradeByRules(root: string): Promise<Graded[]> {
  const { tasks } = await readFolders(await findTaskFolders([root]))
  return tasks.flatMap(({ featureId, taskId, runs }) => {
    let task = emptyTask<ReturnType<typeof toCaptured>>('task')
    return runs.flatMap((run, i) =>
      run.flatMap((turn) => {
        const worldSlug = `w${i + 1}`
        const request = parseWire(captureRequest, turn, 'turn') as CaptureRequest
        const record = normalizeTurn({ ...request, project: 'p', worldSlug }, '2026-01-01T00:00:00Z')
        const captured = toCaptured({ ...record, project: 'p', worldSlug, key: '' })
        task = applyCapture(task, captured)
        const { state, entries } = task.worlds.get(captured.worldKey) ?? {}
        const judged = entries?.at(-1)?.meanings?.judgements.flat() ?? []
        const finalKey = finalKeys(task.registry.criteria)
        const isMap = record.verifications.length === 0
        return listVerifications(record).flatMap(({ status, form }, at): Graded[] => {
          if (status !== 'verified' || (form === 'status' && !isMap)) return []
          return [
            {
              task: `${featureId} ${taskId}`,
              world: i + 1,
              turn: record.turnNumber,
              place: isMap ? at : at - Object.keys(record.acceptanceCriteriaStatus).length,
              basis: state?.progress.get(finalKey(judged[at] ?? ''))?.basis ?? 'none',
            },
          ]
        })
      }),
    )
  })
}

const inOrder = (graded: readonly Graded[]) => graded.map((each) => JSON.stringify(each)).sort()

describeCorpus('how verdicts of real sessions are known', () => {
  test('each verified verdict has the basis that the files themselves say', {
    timeout: 300_000,
  }, async () => {
    const counts = new Map<string, number>()
    for (const { root } of corpusRepositories()) {
      const graded = await gradeByRules(root)
      expect(inOrder(graded)).toEqual(inOrder(gradedVerdicts(root)))
      for (const { basis } of graded) counts.set(basis, (counts.get(basis) ?? 0) + 1)
    }
    console.log(`Bases of verified verdicts: ${JSON.stringify(Object.fromEntries(counts))}`)
    expect([...counts.keys()].sort()).toEqual(['bare', 'judged', 'misplaced', 'repeated'])
  })

  test('the analysis evidence-copied lists the verdicts in the words of the Player, each once', {
    timeout: 600_000,
  }, async () => {
    const isCopied = (basis: unknown) => basis === 'repeated' || basis === 'misplaced'
    for (const { name, root } of corpusRepositories()) {
      const graph = EmbeddedGraph.open({ folder: null })
      await migrate(graph)
      const worlds = await captureCorpus(graph, name, root)
      const client = clientOf(graph, name)
      const { rows, truncated } = await client.runAnalysis({ name: 'evidence-copied', limit: 1_000 })
      expect(truncated).toBe(false)
      const found = rows.map(([feature, task, , turn, , basis]) => `${feature} ${task} ${turn} ${basis}`)
      const expected = gradedVerdicts(root).filter(({ basis }) => isCopied(basis))
      expect(found.sort()).toEqual(expected.map(({ task, turn, basis }) => `${task} ${turn} ${basis}`).sort())
      // The criteria by turn have the same verdicts, but only one entry for several verdicts of a turn about a criterion.
      const matrices = await Promise.all(worlds.map((worldSlug) => client.listCriteriaByTurn({ worldSlug })))
      const cells = matrices.flatMap(({ worldSlug, criteria }) =>
        criteria.flatMap(({ repeatedIn, misplacedIn }) => [
          ...repeatedIn.map((turn) => `${worldSlug} ${turn} repeated`),
          ...misplacedIn.map((turn) => `${worldSlug} ${turn} misplaced`),
        ]),
      )
      const places = rows.map(([, , world, turn, , basis]) => `${world} ${turn} ${basis}`)
      expect([...new Set(places)].sort()).toEqual([...new Set(cells)].sort())
      await graph.close()
    }
  })
})
