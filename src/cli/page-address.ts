/** The address of the page of a service, with a code that lets one browser in. */
import { postPageCode } from '../client/page-code.ts'
import type { Config } from '../platform/config.ts'

/** The code follows `#`, which a browser sends to nobody. */
export async function pageAddress(config: Config, url: string): Promise<string> {
  if (config.auth === 'off') return `${url}/`
  const { tokenFor } = await import('./connect.ts')
  const token = tokenFor(config)
  return token === null ? `${url}/` : `${url}/#code=${await postPageCode(url, token)}`
}
