/** Makes the address of a service's page with a code that signs one browser in. */
import * as z from 'zod'
import { TurngraphError } from '../core/errors.ts'
import { errorBody } from '../core/wire-form.ts'
import { PAGE_CODES_PATH, pageCode } from '../operations/page-session.ts'
import type { Config } from '../platform/config.ts'

const TIMEOUT_MS = 10_000

/** Builds the address with the code after `#`, a part that browsers do not send. */
export async function pageAddress(config: Config, url: string): Promise<string> {
  if (config.auth === 'off') return `${url}/`
  const { tokenFor } = await import('./connect.ts')
  const token = tokenFor(config)
  return token === null ? `${url}/` : `${url}/#code=${await postPageCode(url, token)}`
}

/** Returns a code with which one browser can sign in within a minute. @throws `unauthorized`, `rate_limited`, `store_unavailable` */
export async function postPageCode(url: string, token: string): Promise<string> {
  const answer = await fetch(`${url}${PAGE_CODES_PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause: unknown) => {
    throw new TurngraphError('store_unavailable', `The service at ${url} cannot be reached.`, { cause })
  })
  const body: unknown = await answer.json().catch(() => null)
  const failed = errorBody.safeParse(body).data?.error
  if (failed !== undefined)
    throw new TurngraphError(failed.code, failed.message, { hint: failed.hint ?? undefined })
  const parsed = z.safeParse(pageCode, body)
  if (parsed.success) return parsed.data.code
  throw new TurngraphError(
    'internal',
    `${url} answered ${answer.status} in a form that is not Turngraph's.`,
    {
      hint: 'The service may be older than this command: restart it.',
    },
  )
}
