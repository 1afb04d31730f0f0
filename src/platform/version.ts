// Reads which version of Turngraph this is.
import { createRequire } from 'node:module'

/** Of package.json: src/platform, dist/platform and dist/bin stand equally deep below it. */
export const { version: VERSION }: { version: string } = createRequire(import.meta.url)('../../package.json')
