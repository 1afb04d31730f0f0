/**
 * The hook that Claude Code runs at Stop, SubagentStop and SessionEnd: starts an import of the session's transcripts and exits at
 * once. It never fails and prints nothing, because an agent must not wait for its memory. Builtin modules only.
 * Arguments: the data folder, and the project if one is named.
 */
import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openHookLog, runHook } from './hook-input.ts'
import { listTranscripts } from './hook-transcripts.ts'

const [dataFolder = '.turngraph', project] = process.argv.slice(2)

await runHook(dataFolder, ({ input, log }) => {
  const { transcripts, missing } = listTranscripts(input)
  if (missing !== null) log(missing)
  if (transcripts.length > 0) startImport(transcripts, input.sessionId)
})

function startImport(transcripts: readonly string[], sessionId: string | null): void {
  const log = openHookLog(dataFolder)
  const cli = fileURLToPath(new URL('./main.js', import.meta.url))
  const named = project === undefined ? [] : ['--project', project]
  const child = spawn(process.execPath, [cli, 'import', 'transcripts', ...named, '--', ...transcripts], {
    detached: true,
    env: { ...process.env, TURNGRAPH_DATA: dataFolder, TURNGRAPH_LOG_SESSION: sessionId ?? '-' },
    stdio: ['ignore', log, log],
    windowsHide: true,
  })
  child.on('error', () => {}) // the system logs it if it cannot start processes
  child.unref()
  closeSync(log)
}
