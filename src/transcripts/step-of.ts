import type { Params, Step } from '../graph/port.ts'
import type { Statement } from '../graph/statements.ts'

/** A statement of a transaction; its parameters are plain data. */
export const stepOf = (to: Statement, params: { [name: string]: unknown }): Step => ({
  statement: to,
  params: params as Params,
})
