import { expect, test } from 'vitest'
import { findTaskFolders } from '../../src/artifacts/folders.ts'
import { readFolders } from '../../src/artifacts/read.ts'
import { parseWire } from '../../src/core/wire-form.ts'
import { normalizeTurn } from '../../src/memory/record/normalize.ts'
import { type CaptureRequest, captureRequest } from '../../src/memory/record/record.ts'
import { applyCapture, emptyTask } from '../../src/rules/fold-task.ts'
import { finalKeys } from '../../src/rules/progress.ts'
import { listVerifications } from '../../src/rules/turn-entries.ts'
import { type Graded, gradedVerdicts } from '../oracles/bases.ts'
import { corpusRepositories, describeCorpus } from '../support/corpus.ts'
import { toCaptured } from '../support/folded-world.ts'

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
})
