// Declares how the MCP door runs an operation: each transport brings its own way.
import { BOOKMARK_META, BOOKMARK_WARNING_META } from '../operations/bookmarks.ts'
import type { OperationName } from '../operations/table.ts'

export type CallContext = {
  /** Aborted where the caller gives up. */
  signal: AbortSignal
  /** Tells the caller what the operation has to say beside its answer. */
  tell: (message: string) => void
  /** The bookmarks that the request brought. */
  bookmark: string | null
  /** Becomes `_meta` of the result. */
  resultMeta: Record<string, string>
}

/** Runs an operation for this connection: camelCase in and out. */
export type CallOperation = (
  operation: OperationName,
  input: Record<string, unknown>,
  context: CallContext,
) => Promise<unknown>

/** A result with what its operations said of bookmarks. */
export const withMeta = <T extends object>(result: T, { resultMeta: _meta }: CallContext): T =>
  Object.keys(_meta).length > 0 ? { ...result, _meta } : result

/** Puts what an answer says of bookmarks into the result. */
export function setBookmarks(
  { resultMeta }: Pick<CallContext, 'resultMeta'>,
  { bookmark, warning }: { bookmark: string | null; warning: string | null },
): void {
  if (bookmark !== null) resultMeta[BOOKMARK_META] = bookmark
  if (warning !== null) resultMeta[BOOKMARK_WARNING_META] = warning
}
