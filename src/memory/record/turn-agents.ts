/** Declares the fields that name the judge and the Player of a turn (contract: evidence.md, "Who may say what"). */
import * as z from 'zod'
import { name } from '../../core/fields.ts'
import type { Judge, Player } from '../../rules/turn-agents.ts'

/** Refuses names of blanks only, which no reader of a record could see. */
const visibleName = (remedy: string) =>
  name.refine((given) => given === '' || given.trim() !== '', { error: `has only blanks; ${remedy}` })

export const playerInput = z.strictObject({
  agent: visibleName('name the agent').describe('name of the agent, such as claude-code'),
  model: visibleName('name the model, or leave it out').nullish(),
})

export const judgeInput = playerInput.extend({
  promptDigest: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/, 'is no digest; write it like sha256: and 64 digits')
    .nullish()
    .describe('SHA-256 of its prompt'),
})

export const player = z.object({ agent: z.string(), model: z.string().nullable() })
export const judge = player.extend({ promptDigest: z.string().nullable() })

export const normalizePlayer = ({ agent, model }: z.output<typeof playerInput>): Player => ({
  agent,
  model: model ?? null,
})

export const normalizeJudge = (given: z.output<typeof judgeInput>): Judge => ({
  ...normalizePlayer(given),
  promptDigest: given.promptDigest ?? null,
})
