/** Makes the address of a service's page with a code that signs one browser in. */
import { postPageCode } from '../client/page-code.ts'
import type { Config } from '../platform/config.ts'

/** Builds the address with the code after `#`, a part that browsers do not send. */
export async function pageAddress(config: Config, url: string): Promise<string> {
  if (config.auth === 'off') return `${url}/`
  const { tokenFor } = await import('./connect.ts')
  const token = tokenFor(config)
  return token === null ? `${url}/` : `${url}/#code=${await postPageCode(url, token)}`
}
