// Ends a server whose owner ends.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { signal } from './signal.ts'

const reaper = fileURLToPath(new URL('reaper.mjs', import.meta.url))

/**
 * Sees to it that the server does not outlive this process: the 'exit' handler for an orderly end, the reaper for
 * a signal (a test runner ends its workers with SIGTERM, which runs no handler). Returns what lifts the guard.
 */
export function guardAgainstOrphan(pid: number, temporaryFolder: string | undefined): () => void {
  const killNow = () => signal(pid, 'SIGKILL')
  process.once('exit', killNow)
  // Detached: a signal to our process group, as by Ctrl+C, must not end the reaper before it has done its work.
  const watcher = spawn(process.execPath, [reaper, String(pid), temporaryFolder ?? ''], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watcher.unref()
  return () => {
    process.off('exit', killNow)
    watcher.kill('SIGKILL')
  }
}
