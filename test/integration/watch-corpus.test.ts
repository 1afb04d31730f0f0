import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { useGraph } from '../contract/store.ts'
import { corpusRepositories, describeCorpus } from '../support/corpus.ts'
import { memory } from '../support/engines.ts'
import { clientOf } from '../support/records.ts'
import { viewOf } from '../support/session-view.ts'
import { importsInTest, watchedFolder, watchInTest } from '../support/watched.ts'
import { type FileToWrite, writeFiles, writeSlowly } from '../support/written-session.ts'

const POLL = { timeout: 60_000, interval: 200 }
/** Number of tasks per repository: those with the most turns, all written in parallel. */
const TASKS = 3
const PARTS = ['work_state', 'player', 'coach', 'turn_state'] as const

type WrittenTask = { taskId: string; turns: FileToWrite[][] }

/** The files of a real task in the order of its session; its checkpoints grow with each turn. */
function taskOf(from: string, to: string): WrittenTask {
  const names = readdirSync(from)
  const read = (name: string) => readFileSync(path.join(from, name), 'utf8')
  const file = (name: string, content: unknown): FileToWrite => ({ file: path.join(to, name), content })
  const numbers = names.flatMap((name) => /^(?:player|coach)_turn_(\d+)\.json$/.exec(name)?.[1] ?? [])
  const last = Math.max(...numbers.map(Number))
  const { checkpoints } = names.includes('checkpoints.json')
    ? (JSON.parse(read('checkpoints.json')) as { checkpoints: { turn: number }[] })
    : { checkpoints: [] }
  const turns = [...new Set(numbers.map(Number))]
    .sort((a, b) => a - b)
    .map((turn) => {
      const parts = PARTS.map((part) => `${part}_turn_${turn}.json`).filter((name) => names.includes(name))
      const closed = checkpoints.filter((checkpoint) => checkpoint.turn <= turn)
      return [
        ...(turn === last && names.includes('task_work_results.json')
          ? [file('task_work_results.json', read('task_work_results.json'))]
          : []),
        ...parts.map((name) => file(name, read(name))),
        ...(closed.length > 0 ? [file('checkpoints.json', { checkpoints: closed })] : []),
      ]
    })
  return { taskId: path.basename(to), turns }
}

const isTask = (folder: string) => readdirSync(folder).some((name) => /^player_turn_\d+\.json$/.test(name))

describeCorpus('turngraph watch, over real sessions', () => {
  const handles = useGraph(memory)

  test.each(corpusRepositories())(
    'after each turn of $name the graph is that of an import of what is there',
    {
      timeout: 600_000,
    },
    async ({ root }) => {
      const [copy, client] = [watchedFolder(), clientOf(handles.graph)]
      const below = readdirSync(root, { recursive: true, withFileTypes: true })
      const place = (entry: { parentPath: string; name: string }) => path.join(entry.parentPath, entry.name)
      for (const entry of below.filter(({ name }) => name === 'events.jsonl' || name.endsWith('.md'))) {
        const content = readFileSync(place(entry), 'utf8')
        await writeSlowly({ file: path.join(copy, path.relative(root, place(entry))), content }, 1)
      }
      const folders = below
        .filter((entry) => entry.isDirectory())
        .map(place)
        .filter(isTask)
      const tasks = folders
        .map((folder) => taskOf(folder, path.join(copy, path.relative(root, folder))))
        .sort((a, b) => b.turns.length - a.turns.length)
        .slice(0, TASKS)
      const imports = importsInTest([copy])
      watchInTest(client, [copy])
      for (let turn = 0; turn < (tasks[0]?.turns.length ?? 0); turn++) {
        await Promise.all(tasks.map(({ turns }) => writeFiles(turns[turn] ?? [], 4)))
        await imports.importNow()
        for (const { taskId } of tasks)
          await expect.poll(() => viewOf(client, taskId), POLL).toEqual(await imports.view(taskId))
      }
      expect((await client.listWorlds({ limit: 500 })).items.length).toBeGreaterThan(0)
    },
  )
})
