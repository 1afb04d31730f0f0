/**
 * The hook that Claude Code runs at Stop, SubagentStop and SessionEnd: starts an import of the session's transcripts and
 * exits at once. It never fails and prints nothing, because an agent must not wait for its memory. It uses builtin modules
 * alone, because loading the command line takes longer than all that it does.
 *
 * Arguments: the data folder, and the project where it is named.
 */
import { spawn } from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
} from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const MOST_INPUT_BYTES = 1024 * 1024
const MOST_LOG_BYTES = 1024 * 1024

const [dataFolder = '.turngraph', project] = process.argv.slice(2)

try {
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
  const log = path.join(dataFolder, 'hook.log')
  if (existsSync(log) && statSync(log).size > MOST_LOG_BYTES) renameSync(log, `${log}.old`)
  try {
    handOver(transcriptsOf(JSON.parse(standardInput())), openSync(log, 'a', 0o600))
  } catch (error) {
    const why = error instanceof SyntaxError ? 'what Claude Code said is no JSON' : String(error)
    appendFileSync(log, `${new Date().toISOString()} ${why}\n`, { mode: 0o600 })
  }
} catch {
  // Nobody can be told: the folder of the log cannot be written.
}

/** Bounded: whatever is sent, this ends. */
function standardInput(): string {
  const buffer = Buffer.alloc(MOST_INPUT_BYTES)
  let length = 0
  while (length < buffer.length) {
    const read = readSync(0, buffer, length, buffer.length - length, null)
    if (read === 0) break
    length += read
  }
  return buffer.toString('utf8', 0, length)
}

/** The session's transcript, those of its subagents, and the one of the subagent that has just stopped. */
function transcriptsOf(input: unknown): string[] {
  const { transcript_path: transcript, agent_transcript_path: agent } = Object(input) as Record<
    string,
    unknown
  >
  const session = typeof transcript === 'string' ? [transcript, transcript.replace(/\.jsonl$/, '')] : []
  return [...session, ...(typeof agent === 'string' ? [agent] : [])]
    .map((file) => path.resolve(file))
    .filter((file) => existsSync(file))
}

function handOver(transcripts: readonly string[], log: number): void {
  if (transcripts.length > 0) {
    const cli = fileURLToPath(new URL('./main.js', import.meta.url))
    const named = project === undefined ? [] : ['--project', project]
    const child = spawn(process.execPath, [cli, 'import', 'transcripts', ...named, '--', ...transcripts], {
      detached: true,
      env: { ...process.env, TURNGRAPH_DATA: dataFolder },
      stdio: ['ignore', log, log],
      windowsHide: true,
    })
    child.on('error', () => {}) // the system that cannot start processes has it in its log
    child.unref()
  }
  closeSync(log)
}
