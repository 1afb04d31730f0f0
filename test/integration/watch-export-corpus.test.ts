import { appendFileSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ArtifactWatch } from '../../src/artifacts/artifact-watch.ts'
import { importAutobuild } from '../../src/artifacts/import.ts'
import { useGraph } from '../contract/store.ts'
import { corpusRepositories, describeCorpus } from '../support/corpus.ts'
import { memory } from '../support/engines.ts'
import { exportOf } from '../support/exported.ts'
import { clientOf } from '../support/records.ts'
import { watchedFolder } from '../support/watched.ts'

/** Time of every capture. The times of files are earlier. */
const NOW = new Date('2027-01-01T12:00:00.000Z')
/** Number of task folders per repository. The folders with the most turns are used. */
const TASKS = 2

/** A file to write, by its path below the repository. */
type File = { name: string; text: Buffer }
/** The files of one turn, in the order of a session. */
type Turn = File[]
type Task = { folder: string; turns: Turn[] }
/** Files that are written within a few seconds, and the number of parts in which they are written. */
type Group = { files: File[]; parts: number }

const isTask = (names: readonly string[]) => names.some((name) => /^player_turn_\d+\.json$/.test(name))

const completionOf = (text: Buffer | undefined): string =>
  text === undefined
    ? ''
    : String((JSON.parse(text.toString()) as { completed_at?: unknown }).completed_at ?? '')

/** Reads a task folder. The last turns of an earlier run may still be in the folder, and come first. */
function readTask(root: string, folder: string): Task {
  const names = readdirSync(path.join(root, folder))
  const file = (name: string, text?: Buffer): File[] =>
    names.includes(name)
      ? [{ name: path.join(folder, name), text: text ?? readFileSync(path.join(root, folder, name)) }]
      : []
  const numbers = [
    ...new Set(
      names.flatMap((name) => Number(/^(?:player|coach|turn_state)_turn_(\d+)\.json$/.exec(name)?.[1] ?? [])),
    ),
  ].filter((turn) => turn > 0)
  const [checkpoints] = file('checkpoints.json')
  const closing: { turn: number }[] =
    checkpoints === undefined ? [] : JSON.parse(checkpoints.text.toString()).checkpoints
  const turns = numbers
    .map((turn) => ({
      turn,
      completed: completionOf(file(`turn_state_turn_${turn}.json`)[0]?.text),
      files: ['coach_feedback_for', 'work_state', 'player', 'coach', 'turn_state'].flatMap((kind) =>
        file(`${kind}_turn_${turn}.json`),
      ),
    }))
    .sort((a, b) => a.completed.localeCompare(b.completed) || a.turn - b.turn)
  return {
    folder,
    turns: turns.map(({ turn, files }, i) => {
      const written = new Set(turns.slice(0, i + 1).map((each) => each.turn))
      const closed = closing.filter((checkpoint) => written.has(checkpoint.turn))
      const isLast = i === turns.length - 1
      const text = isLast ? checkpoints?.text : Buffer.from(JSON.stringify({ checkpoints: closed }))
      return [
        ...(isLast ? file('task_work_results.json') : []),
        ...files,
        ...(isLast || closed.some((checkpoint) => checkpoint.turn === turn)
          ? file('checkpoints.json', text)
          : []),
      ]
    }),
  }
}

/** Runs the sessions of all tasks in parallel, one turn of each at a time. */
const sideBySide = (tasks: readonly Task[]): Group[] =>
  Array.from({ length: Math.max(...tasks.map(({ turns }) => turns.length)) }, (_, i) => ({
    files: tasks.flatMap(({ turns }) => turns[i] ?? []).sort((a, b) => placeOf(a) - placeOf(b)),
    parts: 5,
  }))

/** Kinds of files in the order of writing: the reports of all Players come before those of all Coaches. */
const KINDS = [
  'task_work_results',
  'coach_feedback_for',
  'work_state',
  'player',
  'coach',
  'turn_state',
  'checkpoints',
]
const placeOf = ({ name }: File): number => KINDS.findIndex((kind) => path.basename(name).startsWith(kind))

/** Runs the sessions in sequence. Each session writes the turn state and the Coach's report before the Player's report. */
const oneByOne = (tasks: readonly Task[]): Group[] =>
  tasks.flatMap(({ turns }) =>
    turns.map((files) => {
      const isReport = ({ name }: File) => /(?:player|coach|turn_state)_turn_\d+\.json$/.test(name)
      const before = files.filter((file) => placeOf(file) < KINDS.indexOf('player'))
      return {
        files: [...before, ...files.filter(isReport).toReversed(), ...files.filter(isClosing)],
        parts: 3,
      }
    }),
  )

const isClosing = ({ name }: File): boolean => path.basename(name) === 'checkpoints.json'

/** Writes the files by name, as a copy of the folder does. */
const byName = (tasks: readonly Task[]): Group[] => {
  const last = new Map(tasks.flatMap(({ turns }) => turns.flat()).map((file) => [file.name, file]))
  return [{ files: [...last.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), parts: 30 }]
}

describeCorpus('turngraph watch, over real files that are written slowly', () => {
  const handles = useGraph(memory)
  beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: NOW }))
  afterEach(() => vi.useRealTimers())

  const orders = { sideBySide, oneByOne, byName }
  const names = Object.keys(orders) as (keyof typeof orders)[]
  // The seed of the run decides which order each repository has.
  const first = Number(process.env.TURNGRAPH_TEST_SEED) % names.length
  const cases = corpusRepositories().map((repository, i) => ({
    ...repository,
    order: names[(first + i) % names.length] ?? 'sideBySide',
  }))

  test.each(cases)(
    'the export of $name, written $order, equals that of one import of the final folder',
    { timeout: 600_000 },
    async ({ root, order }) => {
      const [copy, client] = [watchedFolder(), clientOf(handles.graph)]
      const watch = new ArtifactWatch([copy], { project: null, specifications: true })
      let captured = 0
      const look = async () => {
        const { signal } = new AbortController()
        await watch.look(client, {
          changed: null,
          signal,
          onImport: async ({ turns }) => {
            captured += turns.length
          },
          onSkipped: () => {},
        })
      }
      const written = new Set<string>()
      const write = ({ name, text }: File, half: 'first' | 'second') => {
        const to = path.join(copy, name)
        const middle = Math.floor(text.length / 2)
        if (half === 'first') {
          mkdirSync(path.dirname(to), { recursive: true })
          writeFileSync(to, text.subarray(0, middle))
        } else appendFileSync(to, text.subarray(middle))
        written.add(name)
      }
      const setAges = (names: Iterable<string>, seconds: number) => {
        const at = new Date(NOW.getTime() - 1_000 * seconds)
        for (const each of names) utimesSync(path.join(copy, each), at, at)
      }
      const entries = readdirSync(root, { recursive: true, withFileTypes: true })
      const pathOf = (entry: { parentPath: string; name: string }) =>
        path.relative(root, path.join(entry.parentPath, entry.name))
      for (const entry of entries.filter(({ name }) => name === 'events.jsonl' || name.endsWith('.md'))) {
        const file = { name: pathOf(entry), text: readFileSync(path.join(root, pathOf(entry))) }
        write(file, 'first')
        write(file, 'second')
      }
      const tasks = entries
        .filter((entry) => entry.isDirectory() && isTask(readdirSync(path.join(root, pathOf(entry)))))
        .map((entry) => readTask(root, pathOf(entry)))
        .sort((a, b) => b.turns.length - a.turns.length || (a.folder < b.folder ? -1 : 1))
        .slice(0, TASKS)
      for (const { files, parts } of orders[order](tasks)) {
        setAges(written, 120)
        const size = Math.max(1, Math.ceil(files.length / parts))
        for (let at = 0; at < files.length; at += size) {
          const part = files.slice(at, at + size)
          for (const half of ['first', 'second'] as const) {
            for (const each of part) write(each, half)
            setAges(
              part.map(({ name }) => name),
              half === 'first' || at + size < files.length ? 2 : 1,
            )
            await look()
          }
        }
      }
      const early = captured
      setAges(written, 3_600)
      await look()
      const other = await handles.open(() => memory.open())
      await importAutobuild(clientOf(other), [copy])
      const [watched, imported] = [await exportOf(handles.graph), await exportOf(other)]
      await other.close()
      // A copy of a folder is imported when it is complete, a session turn by turn.
      if (order !== 'byName') expect(early).toBeGreaterThan(captured / 2)
      expect(watched).toEqual(imported)
    },
  )
})
