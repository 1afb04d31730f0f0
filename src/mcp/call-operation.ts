// Declares how the MCP door runs an operation: each transport brings its own way.
import type { OperationName } from '../operations/table.ts'

/** Runs an operation for this connection: camelCase in and out. An aborted signal says that the caller gave up. */
export type CallOperation = (
  operation: OperationName,
  input: Record<string, unknown>,
  signal: AbortSignal,
) => Promise<unknown>
