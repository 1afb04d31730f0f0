import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** What runs as a process of its own is what users run: the build, made anew where the sources are newer. */
export default function setup(): void {
  const script = fileURLToPath(new URL('../../scripts/setup.mjs', import.meta.url))
  execFileSync(process.execPath, [script], { stdio: 'inherit' })
}
