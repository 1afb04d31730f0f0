/** Reads transcripts of Claude Code, whose records are the form that turns are built from. */
import { CLAUDE_CODE } from '../../rules/agents.ts'
import { readLine } from '../line-records.ts'
import type { LineReader } from './reader.ts'

export const claudeCodeReader: LineReader = { agent: CLAUDE_CODE, readLine, state: () => null }
