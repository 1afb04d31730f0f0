/**
 * Declares how a browser signs in without a token in its address (contract: hardening.md, section 2): a caller with a token
 * asks for a code, and the page exchanges the code for a session.
 */
import * as z from 'zod'

export const PAGE_CODES_PATH = '/v1/page-codes'
export const PAGE_SESSIONS_PATH = '/v1/page-sessions'

/** Answer of {@link PAGE_CODES_PATH}. */
export const pageCode = z.object({ code: z.string(), expires_at: z.string() })

/** Body of {@link PAGE_SESSIONS_PATH}. */
export const pageSessionRequest = z.strictObject({ code: z.string().min(1).max(256) })

/** Answer of {@link PAGE_SESSIONS_PATH}: `token` is sent as a bearer token, and expires 12 hours after its last use. */
export const pageSession = z.object({ token: z.string(), expires_at: z.string() })
