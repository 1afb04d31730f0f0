// Reads the number of an embedded graph's last commit without changing its files.
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'

const READ = `
const [engine, file] = process.argv.slice(1)
process.stdout.write(String(require(engine).GrafeoDB.openReadOnly(file).currentEpoch()))
`

/** Reads the last commit, or null, in a separate process: the engine frees the memory of a graph only when its process ends. */
export function readLastCommit(file: string): number | null {
  const engine = createRequire(import.meta.url).resolve('@grafeo-db/js')
  try {
    const printed = execFileSync(process.execPath, ['-e', READ, engine, file], {
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return Number(printed)
  } catch {
    return null
  }
}
