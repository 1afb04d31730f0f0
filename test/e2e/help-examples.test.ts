import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { buildProgram } from '../../src/cli/program.ts'
import { cli } from '../faults/harness/service-process.ts'
import { coach, player } from '../support/written-session.ts'
import { commandsOn, splitArguments, temporaryFolder } from './command.ts'

/** Every example of a help text runs, in the order of the commands, and prints output. */

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Examples that are not run here, with the reason. */
const LEFT_OUT: readonly [example: RegExp, reason: string][] = [
  [/^turngraph serve/, 'the service of this test is started by it, at another port'],
  [/TURNGRAPH_STORE=/, 'needs a Neo4j server; restore is tested on one in test/integration'],
  [/^claude mcp add/, 'needs Claude Code'],
]

/** Commands that run until they are stopped. */
const ENDLESS = /^(?:exec )?turngraph (?:watch|tail|run start)\b/m

/** The id of the run in an example, and the real run that replaces it. */
const RUN_ID = /(?<=run (?:status|cancel) )[\da-f-]{36}/
const NEWEST_RUN = "turngraph run list --json | jq -r '.items[0].turn_run_id'"

/** Captures turns in the background, so that a command that waits for changes has some to print. */
const CAPTURES = `for turn in 51 52 53 54 55; do
  echo '{"feature_id":"FEAT-1","task_id":"TASK-1","world_slug":"TASK-1","player_summary":"x","turn_number":'$turn'}' |
    WITHIN= turngraph capture > /dev/null
done &
`

/** Examples whose answer may be empty, because there are no failures. */
const MAY_BE_EMPTY = [/^turngraph run list --status failed/, /^turngraph doctor --json/]

/** Lists the examples of a command and its subcommands, in the form that a shell accepts. */
function listExamples(command: Command): string[] {
  let help = ''
  command.configureOutput({
    writeOut: (text) => {
      help += text
    },
  })
  command.outputHelp()
  const [, block = ''] = /\nExamples?:\n((?: {2}.*\n?)+)/.exec(help) ?? []
  const loop = /^ {2}while [\s\S]*? {2}done$/m.exec(block)?.[0] ?? ''
  const lines = block.replace(loop, '').split('\n').map(toCommand)
  return [
    ...lines.filter((line) => line !== ''),
    ...(loop === '' ? [] : [`${loop.trim()}\ntrue`]),
    ...command.commands.flatMap((below) => listExamples(below as Command)),
  ]
}

/** Removes the explanation from the line of an example. */
function toCommand(line: string): string {
  const completion = /turngraph completion \w+/.exec(line)
  return completion?.[0] ?? line.trim().replace(/ {3,}.*$/, '')
}

const record = (turn_number: number, more: object = {}) => ({
  feature_id: 'FEAT-1',
  task_id: 'TASK-1',
  turn_number,
  player_summary: 'Built it',
  ...more,
})
const COMMIT = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
const LATER = {
  coach_decision: 'feedback',
  verifications: [
    {
      criterion_id: 'AC-1',
      criterion_text: 'The lid closes',
      status: 'verified',
      observation: {
        command: ['npm', 'test'],
        exit_code: 0,
        started_at: '2026-11-01T10:00:00Z',
        commit: COMMIT,
      },
    },
  ],
  promises: [{ criterion_id: 'AC-2', criterion_text: 'The hinge holds', status: 'complete' }],
  issues: [{ severity: 'blocking', category: 'noise', description: 'It clicks' }],
}

/** Creates a home folder with all files that the examples name. */
function fillHome(home: string): void {
  const write = (file: string, content: unknown) => {
    mkdirSync(path.dirname(path.join(home, file)), { recursive: true })
    writeFileSync(path.join(home, file), typeof content === 'string' ? content : JSON.stringify(content))
  }
  const turns = [1, 2, 3].map((number) => record(number, number === 1 ? {} : LATER))
  write('turn.json', turns[0])
  write('turns.jsonl', turns.map((turn) => JSON.stringify(turn)).join('\n'))
  write('player_turn_1.json', player(1))
  write('coach_turn_1.json', coach(1))
  write('verifications.json', [
    { criterion_id: 'AC-1', status: 'verified', source: 'person', evidence: 'Seen' },
  ])
  write('report.xml', '<testsuite><testcase name="AC-001 closes"/></testsuite>')
  write('criteria.json', { criteria: [{ text: 'The lid closes' }, { text: 'The hinge holds' }] })
  write(
    'tasks/backlog/TASK-1-retry.md',
    '---\nid: TASK-1\nfeature_id: FEAT-1\n---\n\n## Acceptance Criteria\n\n- [ ] The lid closes\n',
  )
  for (const folder of ['shop', 'till'])
    for (const turn of [1, 2]) {
      const place = `${folder}/.guardkit/autobuild/TASK-${folder}`
      write(`${place}/player_turn_${turn}.json`, player(turn))
      write(`${place}/coach_turn_${turn}.json`, coach(turn))
    }
  for (const project of ['-home-me-shop', '-home-me'])
    cpSync(path.join(root, 'examples/transcripts'), path.join(home, '.claude/projects', project), {
      recursive: true,
    })
  const script = (name: string, text: string) => {
    write(`bin/${name}`, text)
    chmodSync(path.join(home, 'bin', name), 0o755)
  }
  script('turngraph', `#!/bin/sh\nexec $WITHIN "${process.execPath}" "${cli}" "$@"\n`)
  script('run-a-turn', '#!/bin/sh\n[ ! -e played ] && touch played\n')
}

test('every example in a help text runs and prints output', { timeout: 600_000 }, async () => {
  const home = temporaryFolder()
  const user = commandsOn(home)
  await user.serve([], { TURNGRAPH_EXECUTORS: path.join(root, 'examples/runs/executors.json') })
  fillHome(home)
  execFileSync('git', ['init', '-q'], { cwd: home })
  const own = Object.entries(process.env).filter(([name]) => !/^(TURNGRAPH_.*|DISPLAY)$/.test(name))
  const runInShell = async (script: string) => {
    const isEndless = ENDLESS.test(script)
    const isPiped = script.includes(' | jq ')
    const env = {
      ...Object.fromEntries(own),
      HOME: home,
      TURNGRAPH_DATA: user.folder,
      PATH: `${path.join(home, 'bin')}${path.delimiter}${process.env.PATH}`,
      WITHIN: isEndless ? 'timeout --foreground -s INT 15' : '',
    }
    // Uses a separate process group, because Bash does not pass a signal to the commands of a pipe.
    const bash = ['bash', '-uo', 'pipefail', '-c', script.replace(' | jq ', ' | jq --unbuffered ')]
    const asked = promisify(execFile)('setsid', bash, { cwd: home, env })
    const { pid = 0 } = asked.child
    // Without a pipe, Bash replaces its own process with the command.
    if (isEndless) asked.child.stdout?.once('data', () => process.kill(isPiped ? -pid : pid, 'SIGINT'))
    const answer = await asked.catch((error: { code: number; stdout: string; stderr: string }) => error)
    return { ...answer, code: 'code' in answer && !isEndless ? answer.code : 0 }
  }
  const run = async (script: string) => {
    const args = ENDLESS.test(script) ? null : splitArguments(script)
    const { code, stdout, stderr } =
      args === null ? await runInShell(script) : await user.run(args, { environment: { HOME: home } })
    const [, file] = /> (\S+)$|--out (\S+)/.exec(script)?.filter(Boolean) ?? []
    const written = file === undefined ? '' : readFileSync(path.join(home, file), 'utf8')
    return { code, stdout: stdout + written, stderr }
  }
  await run('turngraph worlds create TASK-1 --feature FEAT-1 --task TASK-1 --executor trial')
  await run('turngraph worlds create TASK-2 --feature FEAT-1 --task TASK-2')
  for (const project of ['default', 'shop'])
    await run(`turngraph capture turns.jsonl --on-conflict supersede --project ${project}`)
  const failures: object[] = []
  const program = buildProgram()
  const ofAllHelp = listExamples(buildProgram({ listsAll: true }))
  const examples = [...new Set([...listExamples(program), ...ofAllHelp])]
  expect(examples.length).toBeGreaterThan(50)
  for (const example of examples) {
    if (LEFT_OUT.some(([form]) => form.test(example))) continue
    const [id = ''] = RUN_ID.exec(example) ?? []
    const script = id === '' ? example : example.replace(id, (await run(NEWEST_RUN)).stdout.trim())
    const { code, stdout, stderr } = await run(
      /^turngraph tail [^|]*$/.test(script) ? `${CAPTURES}exec ${script}` : script,
    )
    const answered =
      stdout.trim() !== '' || (stderr.trim() !== '' && !/\b(?:query|turns|paths)\b/.test(script))
    const isEmpty = !answered || /^(?:Nothing\.|\[\]|null|\w+\n0)$/.test(stdout.trim())
    if (code !== 0 || (isEmpty && !MAY_BE_EMPTY.some((form) => form.test(script))))
      failures.push({ script, code, stdout: stdout.slice(0, 500), stderr: stderr.slice(0, 500) })
  }
  expect(failures).toEqual([])
  expect(statSync(path.join(home, 'report.html')).size).toBeGreaterThan(1_000)
})
