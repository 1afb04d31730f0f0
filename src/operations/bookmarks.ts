// Names what bookmarks are called on the wire.

/** Of an answer to a write: stands for what was written. Of a request: what its answer must have. */
export const BOOKMARK_HEADER = 'Turngraph-Bookmark'

/** Of an answer: why bookmarks of the request were ignored. */
export const BOOKMARK_WARNING_HEADER = 'Turngraph-Bookmark-Warning'

/** The same in `_meta` of MCP, of a request and of its result. */
export const BOOKMARK_META = 'turngraph/bookmark'
export const BOOKMARK_WARNING_META = 'turngraph/bookmark_warning'
