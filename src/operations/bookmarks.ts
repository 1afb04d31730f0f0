// Names what bookmarks are called on the wire, and how many of them are worth sending.

/** Of an answer to a write: stands for what was written. Of a request: what its answer must have. */
export const BOOKMARK_HEADER = 'Turngraph-Bookmark'

/** Of an answer: why bookmarks of the request were ignored. */
export const BOOKMARK_WARNING_HEADER = 'Turngraph-Bookmark-Warning'
