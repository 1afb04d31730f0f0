import path from 'node:path'
import { Worker } from 'node:worker_threads'

/** The files of a synthetic autobuild session in the order and the forms of a real one. */

/** A file with its content: a JSON value, or the text itself. */
export type FileToWrite = { file: string; content: unknown }

let writer: Worker | null = null
let written = 0
const writing = new Map<number, () => void>()

/**
 * Writes files like a slow program: one after the other, each in pieces. The pieces follow each other within
 * about 250 ms (docs/decisions/watch.md), so a separate thread writes them. In the thread of a watch, the
 * watch's own work would delay the next file, and the watch would find a quiet moment in the middle of a
 * turn.
 */
export function writeFiles(files: readonly FileToWrite[], pieces = 3): Promise<void> {
  writer ??= startWriter()
  const id = ++written
  const texts = files.map(({ file, content }) => ({
    file,
    text: typeof content === 'string' ? content : JSON.stringify(content, null, 2),
  }))
  writer.ref()
  writer.postMessage({ id, pieces, files: texts })
  return new Promise((resolve) => writing.set(id, resolve))
}

export const writeSlowly = (file: FileToWrite, pieces = 3): Promise<void> => writeFiles([file], pieces)

function startWriter(): Worker {
  const worker = new Worker(new URL('./file-writer.mjs', import.meta.url))
  worker.on('message', (id: number) => {
    writing.get(id)?.()
    writing.delete(id)
    if (writing.size === 0) worker.unref() // the process may end if it waits for no other work
  })
  return worker
}

export const player = (turn: number, more: object = {}) => ({
  implementation_notes: `Attempt ${turn} at the prices`,
  files_modified: [`src/price-${turn}.ts`],
  completion_promises: [
    { criterion_id: 'AC-001', criterion_text: 'Prices are shown', status: 'complete' },
    { criterion_id: 'AC-002', criterion_text: 'Prices are rounded up', status: 'complete' },
  ],
  ...more,
})

export const coach = (turn: number, decision = turn > 1 ? 'approve' : 'feedback', more: object = {}) => ({
  decision,
  rationale: `Turn ${turn}: ${decision}`,
  criteria_verification: [
    { criterion_id: 'AC-001', result: 'verified', notes: `Seen in turn ${turn}` },
    { criterion_id: 'AC-002', result: turn > 1 ? 'verified' : 'rejected', notes: 'Looked at the till' },
  ],
  issues: turn > 1 ? [] : [{ severity: 'must_fix', type: 'test', description: 'No test covers zero' }],
  ...more,
})

export const turnState = (turn: number, day = 1, more: object = {}) => ({
  feature_id: 'FEAT-1',
  completed_at: at(turn, day),
  ...more,
})

const at = (turn: number, day: number) =>
  new Date(Date.UTC(2026, 2, day, 10, turn)).toISOString().replace('.000Z', '.5')

export const results = (turn: number) => ({
  summary: `Worked ${turn}`,
  quality_gates: { tests_passed: 10 * turn, tests_failed: 0, coverage: 90 + turn },
})

export const checkpoints = (turns: number, day = 1) => ({
  checkpoints: Array.from({ length: turns }, (_, i) => ({
    turn: i + 1,
    commit_hash: `abc${day}${i + 1}`,
    timestamp: at(i + 1, day).replace('00.5', '01'),
  })),
})

/**
 * Returns the files that a session writes in a turn: the Player's files, then those that judge and close it.
 */
export function filesOfTurn(folder: string, turn: number, day = 1): FileToWrite[] {
  const named = (name: string, content: unknown): FileToWrite => ({ file: path.join(folder, name), content })
  return [
    named('task_work_results.json', results(turn)),
    named(`player_turn_${turn}.json`, player(turn)),
    named(`coach_turn_${turn}.json`, coach(turn)),
    named(`turn_state_turn_${turn}.json`, turnState(turn, day)),
    named('checkpoints.json', checkpoints(turn, day)),
  ]
}
