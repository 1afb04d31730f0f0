/** Declares the state with which the reader of Codex continues at a later line. */
import * as z from 'zod'
import { emptyState } from '../empty-state.ts'

export const codexState = z.object({
  sessionId: z.string().nullable(),
  isSubagent: z.boolean(),
  /** Session whose history a fork repeats, and the time of the repetition. */
  repeats: z.object({ sessionId: z.string(), until: z.string().nullable() }).nullable(),
  /** The turn of Codex, as its newest record names it, and the number of prompts in it. */
  turnId: z.string().nullable(),
  promptsOfTurn: z.number(),
  /** Number of prompts without a turn of Codex. */
  prompts: z.number(),
  /** Beginning of the ids of records since the newest prompt, and the number of these records. */
  key: z.string().nullable(),
  records: z.number(),
  /** Number of calls without an id since the newest prompt. */
  unnamedCalls: z.number(),
  /** Newest calls without an output since the newest prompt. Earlier versions did not store them. */
  openCalls: z.array(z.string()).default([]),
  /** Number of responses since the newest prompt, and whether an output followed the newest. */
  responses: z.number(),
  isAnswered: z.boolean(),
  model: z.string().nullable(),
  effort: z.string().nullable(),
  /** The newest total of tokens, and the record that counted it. */
  total: z.string().nullable(),
  totalKey: z.string().nullable(),
  /** Records of the newest prompt, if no other followed: each prompt has two. */
  promptRecords: z.array(z.string()),
})
export type CodexState = z.output<typeof codexState>

export const NEW_CODEX_STATE: CodexState = emptyState(codexState)
