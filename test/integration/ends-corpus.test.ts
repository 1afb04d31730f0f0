import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { EmbeddedGraph } from '../../src/graph/embedded.ts'
import { migrate } from '../../src/graph/migrations.ts'
import { type LabeledEnd, labeledEnds } from '../oracles/ends.ts'
import { captureCorpus } from '../support/capture-corpus.ts'
import { corpusRepositories, describeCorpus } from '../support/corpus.ts'
import { clientOf } from '../support/records.ts'

/** Copies a task's folder without the files of the turns after the last one that is kept. */
async function copyTurns(from: string, to: string, turns: number): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const name of await readdir(from)) {
    const turn = /_turn_(\d+)\.json$/.exec(name)?.[1]
    if (turn === undefined || Number(turn) <= turns)
      await cp(path.join(from, name), path.join(to, name), { recursive: true })
  }
}

/** Returns what in the sentence does not name the cause; empty if it names all of it. */
function findMissing(sentence: string, { cause }: LabeledEnd): string[] {
  switch (cause.kind) {
    case 'criteria':
      return cause.rejected.filter((name) => !sentence.includes(name))
    case 'gate':
      return /the gate `/.test(sentence) && cause.name.test(sentence) ? [] : [String(cause.name)]
    case 'issue':
      return cause.words.test(sentence) ? [] : [String(cause.words)]
    default:
      return sentence.includes('the independent test run gave no signal') ? [] : [cause.kind]
  }
}

describeCorpus('why real sessions were not approved', () => {
  test('the summary names the cause that a reader of the files named', {
    timeout: 600_000,
  }, async () => {
    const roots = new Map(corpusRepositories().map(({ name, root }) => [name, root]))
    const folder = await mkdtemp(path.join(tmpdir(), 'turngraph-ends-'))
    const wrong: unknown[] = []
    try {
      const graph = EmbeddedGraph.open({ folder: null })
      await migrate(graph)
      for (const [i, end] of labeledEnds.entries()) {
        const root = roots.get(end.repository) ?? ''
        const inRepository = end.repository === 'guardkit-harv' ? '' : '.guardkit/autobuild'
        const cut = path.join(folder, String(i))
        await copyTurns(
          path.join(root, inRepository, end.task),
          path.join(cut, inRepository, end.task),
          end.turns,
        )
        const project = `ends-${i}`
        const client = clientOf(graph, project)
        // A later session of the task may follow: one that began again at turn 1.
        const worlds = await captureCorpus(graph, project, cut)
        const { summary } = await client.getSessionSummary({ worldSlug: worlds[0] ?? '' })
        if (process.env.PRINT_ENDS !== undefined) console.log(`${end.task} ${end.turns}: ${summary}`)
        const missing = findMissing(summary, end)
        if (missing.length > 0) wrong.push({ task: end.task, turns: end.turns, missing, summary })
      }
      await graph.close()
    } finally {
      await rm(folder, { recursive: true })
    }
    expect(labeledEnds.length).toBeGreaterThanOrEqual(20)
    expect(wrong).toEqual([])
  })
})
