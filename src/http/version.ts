// Reads the version of the package.
import { readFileSync } from 'node:fs'
import * as z from 'zod'

/** The package's version: src/http and dist/http stand equally deep. */
export const VERSION = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))).version
