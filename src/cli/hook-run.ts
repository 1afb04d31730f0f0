/**
 * The hook that Claude Code runs at Stop, SubagentStop and SessionEnd: starts an import of the session's transcripts and
 * exits at once. It never fails and prints nothing, because an agent must not wait for its memory. It uses builtin modules
 * alone, because loading the command line takes longer than all that it does.
 *
 * Arguments: the data folder, and the project where it is named.
 */
import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type HookInput, hookLog, readHookInput, runHook } from './hook-input.ts'

/** Anything else would be read as a main session's transcript. */
const AGENT_FILE = /^agent-.+\.jsonl$/

const [dataFolder = '.turngraph', project] = process.argv.slice(2)

await runHook(dataFolder, () =>
  handOver(listTranscripts(readHookInput()), openSync(hookLog(dataFolder), 'a', 0o600)),
)

/**
 * The session's transcript, those of its subagents, and the one of the subagent that has just stopped. Claude Code names
 * files also where it never writes them: sessions without persistence, agents that ended at once.
 */
function listTranscripts({ transcript, agentTranscript }: HookInput): string[] {
  const session = transcript === null ? [] : [transcript, transcript.replace(/\.jsonl$/, '')]
  const isAgent = agentTranscript !== null && AGENT_FILE.test(path.basename(agentTranscript))
  return [...session, ...(isAgent ? [agentTranscript] : [])]
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
