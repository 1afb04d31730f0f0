/** Reads which version of Turngraph this is. */
import { createRequire } from 'node:module'

/** src/cli and dist/cli stand equally deep below package.json. */
export function packageVersion(): string {
  const found: unknown = createRequire(import.meta.url)('../../package.json')
  if (typeof found === 'object' && found !== null && 'version' in found) return String(found.version)
  throw new Error('package.json has no version')
}
