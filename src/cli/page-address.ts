/** The address of the page of a service, with the token that it asks for. */
import type { Config } from '../platform/config.ts'

/** The token stands behind `#`: a browser sends that to nobody. */
export async function pageAddress(config: Config, url: string): Promise<string> {
  if (config.auth === 'off') return `${url}/`
  const { tokenFor } = await import('./connect.ts')
  const token = tokenFor(config)
  return token === null ? `${url}/` : `${url}/#token=${encodeURIComponent(token)}`
}
