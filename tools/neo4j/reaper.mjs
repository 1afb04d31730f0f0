// Ends a Neo4j after its owner has died for any reason: the owner holds the other end of this stdin, and the
// kernel closes it even after a SIGKILL, for which the owner has no handler. Plain JavaScript: it starts
// without a loader.
//
//   node reaper.mjs PID [TEMPORARY_FOLDER]
import { rm } from 'node:fs/promises'

const [pid, temporaryFolder] = process.argv.slice(2)

process.stdin.resume().once('end', async () => {
  try {
    process.kill(Number(pid), 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error // already ended
  }
  // The retries are for files that the dying server was still writing.
  if (temporaryFolder) await rm(temporaryFolder, { recursive: true, force: true, maxRetries: 10 })
})
