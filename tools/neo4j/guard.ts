// Ends a server when its owner ends.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { signal } from './signal.ts'

const reaper = fileURLToPath(new URL('reaper.mjs', import.meta.url))

/**
 * Ensures that the server does not outlive this process: the 'exit' handler covers a normal end, the reaper
 * covers a signal (a test runner ends its workers with SIGTERM, which runs no handler). Returns a function
 * that removes the guard.
 */
export function guardAgainstOrphan(pid: number, temporaryFolder: string | undefined): () => void {
  const killNow = () => signal(pid, 'SIGKILL')
  process.once('exit', killNow)
  // Detached: a signal to our process group, such as Ctrl+C, must not end the reaper before it has done its
  // work.
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
