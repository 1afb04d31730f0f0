/** Names of the coding agents whose own transcripts are read. An ATIF document names its agent itself. */
export const CLAUDE_CODE = 'claude-code'
export const CODEX = 'codex'
