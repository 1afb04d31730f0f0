// Reads the version of Turngraph.
import { createRequire } from 'node:module'

/** Version in package.json. The path works because src/platform, dist/platform and dist/bin have the same depth. */
export const { version: VERSION }: { version: string } = createRequire(import.meta.url)('../../package.json')
