/** Writes files that no session writes, one of each kind, and healthy tasks next to them. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  lutimesSync,
  mkdirSync,
  openSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { coach, player, turnState } from './written-session.ts'

/**
 * A hostile file. `name` is unique: a message about the file, or about the task of its folder, contains it.
 */
export type HostileFile = { name: string; file: string; what: string }

type Content = string | Buffer | ((file: string) => void)

/**
 * Files of a turn, each in a separate task. The other file of the turn is healthy, so each turn is finished.
 */
const TURN_FILES: Record<string, [name: string, content: Content]> = {
  'NUL bytes': ['coach_turn_1.json', Buffer.alloc(4096)],
  'a NUL within a text': ['coach_turn_1.json', '{"decision": "app\0rove"}'],
  'invalid UTF-8': ['coach_turn_1.json', Buffer.from('{"decision": "café"}', 'latin1')],
  'UTF-16': ['coach_turn_1.json', Buffer.from('\uFEFF{"decision": "approve"}', 'utf16le')],
  '200 MB without content': ['coach_turn_1.json', sparse],
  'lists nested 100,000 deep': ['coach_turn_1.json', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  'objects nested 20,000 deep': [
    'player_turn_1.json',
    `${'{"summary":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
  ],
  'a field nested 150 deep': [
    'coach_turn_1.json',
    `{"decision":"approve","issues":${'['.repeat(150)}${']'.repeat(150)}}`,
  ],
  'a file without rights': ['coach_turn_1.json', unreadable],
  'a FIFO': ['coach_turn_1.json', (file) => void execFileSync('mkfifo', [file])],
  'a link to a device': ['coach_turn_1.json', (file) => symlinkSync('/dev/zero', file)],
  'a loop of links': ['player_turn_1.json', (file) => symlinkSync(path.basename(file), file)],
  'a link out of the folder': ['coach_turn_1.json', (file) => symlinkSync('/etc/hostname', file)],
  'a link to nothing': ['coach_turn_1.json', (file) => symlinkSync('nothing', file)],
  'a folder in the place of a file': ['coach_turn_1.json', (file) => void mkdirSync(file)],
  'a line of 15 MB': ['player_turn_1.json', JSON.stringify({ implementation_notes: 'x'.repeat(15e6) })],
  'a line of 20 MB': ['player_turn_1.json', JSON.stringify({ implementation_notes: 'x'.repeat(20e6) })],
  'wrong types in a report of a Player': [
    'player_turn_1.json',
    wrongTypes([
      'implementation_notes',
      'summary',
      'success',
      'blocked_report',
      'concerns',
      'requirements_addressed',
      'completion_promises',
      'tests_passed_count',
      'files_modified',
      'files_created',
    ]),
  ],
  'wrong types in a report of a Coach': [
    'coach_turn_1.json',
    wrongTypes([
      'decision',
      'verdict',
      'rationale',
      'criteria_verification',
      'issues',
      'findings',
      'validation_results',
      'acceptance_criteria_verification',
    ]),
  ],
  'wrong types in a turn state': [
    'turn_state_turn_1.json',
    wrongTypes([
      'feature_id',
      'task_id',
      'turn_number',
      'player_summary',
      'player_decision',
      'coach_decision',
      'mode',
      'blockers_found',
      'acceptance_criteria_status',
      'tests_passed',
      'coverage',
      'started_at',
      'completed_at',
    ]),
  ],
  'truncated JSON': ['coach_turn_1.json', '{"decision": "appr'],
  'no content': ['coach_turn_1.json', ''],
  'spaces alone': ['player_turn_1.json', ' \n\t\n'],
  'keys of prototypes': [
    'player_turn_1.json',
    '{"implementation_notes":"Fine","__proto__":{"success":false,"isAdmin":true},"constructor":{"prototype":{"polluted":1}},"toString":1}',
  ],
  'a key twice': [
    'coach_turn_1.json',
    '{"decision": "reject", "rationale": "Broken", "decision": "approve"}',
  ],
  'a list': ['coach_turn_1.json', '[{"decision": "approve"}]'],
  'a text': ['coach_turn_1.json', '"approve"'],
  null: ['coach_turn_1.json', 'null'],
  'a number without end': ['coach_turn_1.json', '1e999'],
  'two documents': ['coach_turn_1.json', '{"decision": "approve"}\n{"decision": "reject"}'],
  comments: ['coach_turn_1.json', '{\n // approved\n "decision": "approve",\n}'],
  'a page of HTML': ['coach_turn_1.json', '<!doctype html><title>502 Bad Gateway</title>'],
  'a report of a Player in the place of a Coach': ['coach_turn_1.json', JSON.stringify(player(1))],
  'a turn number of 0': ['coach_turn_0.json', JSON.stringify(coach(1))],
  'a turn number without end': ['coach_turn_99999999999999999999.json', JSON.stringify(coach(1))],
  'a broken list of checkpoints': ['checkpoints.json', '{"checkpoints": [{"turn": 1}'],
  'broken results': ['task_work_results.json', '{"summary": '],
  'a broken state of work': ['work_state_turn_1.json', 'work'],
  'a broken log of events': [
    '../FEAT-9/events.jsonl',
    `{"task_id": "T", "timestamp": "2026"}\n{"task_id": \n`,
  ],
  '100,000 judgements': [
    'coach_turn_1.json',
    JSON.stringify({
      decision: 'approve',
      criteria_verification: Array.from({ length: 100_000 }, () => ({
        criterion_id: 'AC-1',
        result: 'verified',
      })),
    }),
  ],
  '200,000 keys': [
    'player_turn_1.json',
    JSON.stringify({
      summary: 'Fine',
      ...Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`k${i}`, i])),
    }),
  ],
}

/** Task folders with hostile names. */
const FOLDER_NAMES: Record<string, (name: string) => string> = {
  'a name with a line break': (name) => `${name}\nskipped: TASK-HEALTHY-1: not there`,
  'a name that commands the terminal': (name) => `${name}\u001b[2J\u001b]0;title\u0007`,
  'a name that turns the reading direction': (name) => `${name}\u202egnp.exe`,
}

/** Files that state a task, for a task that is healthy otherwise. */
const STATEMENTS: Record<string, Content> = {
  'a task file with NUL bytes': `# T\n## Acceptance Criteria\n- [ ] Prices\0 are shown\n`,
  'a task file of invalid UTF-8': Buffer.from('# T\n## Acceptance Criteria\n- [ ] Café opens\n', 'latin1'),
  'a task file of 2 MB': `# T\n## Acceptance Criteria\n${'- [ ] Prices are shown\n'.repeat(90_000)}`,
  'a task file that is a FIFO': (file) => void execFileSync('mkfifo', [file]),
  'a task file that is a device': (file) => symlinkSync('/dev/zero', file),
  'a task file nested 9,000 deep': `# T\n## Acceptance Criteria\n${Array.from({ length: 9_000 }, (_, i) => `${' '.repeat(Math.min(i, 100))}- x`).join('\n')}`,
  'a task file with an empty box': '# T\n## Acceptance Criteria\n- [ ]\n',
}

export const HEALTHY = Array.from({ length: 10 }, (_, i) => `TASK-HEALTHY-${i}`)

/** Writes everything below a folder, with times of ten minutes ago. */
export function writeHostileFiles(root: string): HostileFile[] {
  const tasks = path.join(root, '.guardkit', 'autobuild')
  const hostile: HostileFile[] = []
  const next = () => `TASK-H${String(hostile.length + 1).padStart(3, '0')}X`
  const add = (what: string, name: string, file: string, content: Content) => {
    if (content === unreadable && process.getuid?.() === 0) return // root may read every file
    mkdirSync(path.dirname(file), { recursive: true })
    write(file, content)
    hostile.push({ name, file, what })
  }
  for (const [what, [file, content]] of Object.entries(TURN_FILES)) {
    const name = next()
    const isLog = file.includes('FEAT-9')
    writeTurn(path.join(tasks, name), isLog ? 'turn_state_turn_1.json' : file)
    add(what, isLog ? 'FEAT-9' : name, path.join(tasks, name, file), content)
  }
  for (const [what, rename] of Object.entries(FOLDER_NAMES)) {
    const name = next()
    const folder = path.join(tasks, rename(name))
    writeTurn(folder, 'coach_turn_1.json')
    add(what, name, path.join(folder, 'coach_turn_1.json'), JSON.stringify(coach(1)))
  }
  for (const [what, content] of Object.entries(STATEMENTS)) {
    const name = next()
    writeTurn(path.join(tasks, name))
    add(what, name, path.join(root, 'tasks', 'in_progress', `${name}.md`), content)
  }
  for (const name of HEALTHY) writeTurn(path.join(tasks, name))
  age(root)
  return hostile
}

/** Writes a turn of an ended task, without one of its files. */
function writeTurn(folder: string, except?: string): void {
  mkdirSync(folder, { recursive: true })
  const files = { player: player(1), coach: coach(1), turn_state: turnState(1) }
  for (const [kind, content] of Object.entries(files)) {
    const name = `${kind}_turn_1.json`
    if (name !== except) writeFileSync(path.join(folder, name), JSON.stringify(content))
  }
}

function write(file: string, content: Content): void {
  if (typeof content === 'function') content(file)
  else writeFileSync(file, content)
}

function sparse(file: string): void {
  const opened = openSync(file, 'w')
  ftruncateSync(opened, 200 * 1024 * 1024)
  closeSync(opened)
}

function unreadable(file: string): void {
  writeFileSync(file, JSON.stringify(coach(1)))
  chmodSync(file, 0)
}

/** Returns every field with a value of a wrong type. */
function wrongTypes(fields: readonly string[]): string {
  const values = [{ a: [1, { b: null }] }, 17, true, [[[]]], [null, 1, { criterion_id: [] }]]
  return JSON.stringify(Object.fromEntries(fields.map((field, i) => [field, values[i % values.length]])))
}

/**
 * Makes the files old: a watch reports a file only after some time, because a session may still be writing
 * it.
 */
function age(root: string): void {
  const then = new Date(Date.now() - 600_000)
  const found = execFileSync('find', [root, '-print0'], { encoding: 'utf8' }).split('\0')
  for (const file of found.filter((each) => each !== '')) lutimesSync(file, then, then)
}
