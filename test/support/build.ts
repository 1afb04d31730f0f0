import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * Builds the project again if the sources are newer: tests that start processes run the build, as users do.
 */
export default function setup(): void {
  const script = fileURLToPath(new URL('../../scripts/setup.mjs', import.meta.url))
  execFileSync(process.execPath, [script], { stdio: 'inherit' })
}
