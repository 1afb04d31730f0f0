// Lists the MCP prompts, and fills a prompt from the memory.
import type { GetPromptResult, ListPromptsResult } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { LIMITS, name, wholeNumber } from '../core/fields.ts'
import { parseWire, wireSchema } from '../core/wire-form.ts'
import type { Role } from '../memory/criteria/views.ts'
import { mayCall, readsOnlyAsPlayer } from '../operations/access.ts'
import type { Scope } from '../operations/operation.ts'
import { type OperationOutput, operations } from '../operations/table.ts'
import { coachBrief, playerBrief } from './briefs.ts'
import type { CallContext, CallOperation } from './call-operation.ts'
import { unknownNameError } from './protocol-errors.ts'

const target = z.strictObject({
  turn: wholeNumber(1, LIMITS.turnNumber).describe('the number of the turn'),
  worldSlug: name.optional().describe('the session; default: the newest of the task'),
  featureId: name.optional().describe('default: that of the session'),
  taskId: name.optional().describe('default: that of the session'),
})

const PROMPTS = [
  {
    name: 'continue_turn',
    title: 'Play a turn',
    description: "The Player's brief for a turn: what came before it, and what is left to prove",
    role: 'player',
    render: playerBrief,
  },
  {
    name: 'judge_turn',
    title: 'Judge a turn',
    description: "The Coach's brief for a turn: the criteria, what was promised, and what to check again",
    role: 'coach',
    render: coachBrief,
  },
] as const

/** Lists the prompts of the roles whose context a token may read. All of them take the same arguments: a turn and its world. */
export const listPrompts = (scopes: ReadonlySet<Scope>): ListPromptsResult => ({
  prompts: PROMPTS.filter(({ role }) => mayRead(role, scopes)).map(({ name, title, description }) => ({
    name,
    title,
    description,
    arguments: ARGUMENTS,
  })),
})

const mayRead = (role: Role, scopes: ReadonlySet<Scope>): boolean =>
  mayCall('loadTurnContinuationContext', scopes) &&
  (role === 'player' || !readsOnlyAsPlayer('loadTurnContinuationContext', scopes))

const ARGUMENTS = Object.entries((wireSchema(target) as z.ZodObject).shape).map(([argument, schema]) => ({
  name: argument,
  description: schema.description ?? '',
  required: !schema.safeParse(undefined).success,
}))

/** @throws the errors of loading the context, `not_found` if the prompt does not exist, `invalid_request` if an argument is not valid */
export async function fillPrompt(
  { name, arguments: given = {} }: { name: string; arguments?: Record<string, string> | undefined },
  call: CallOperation,
  callContext: CallContext,
): Promise<GetPromptResult> {
  const prompt = PROMPTS.find((candidate) => candidate.name === name)
  if (prompt === undefined)
    throw unknownNameError(
      'prompt',
      name,
      PROMPTS.map((known) => known.name),
    )
  const { turn, ...where } = parseWire(target, given, name)
  const request = operations.loadTurnContinuationContext.input.parse({
    ...where,
    currentTurn: turn,
    role: prompt.role,
  })
  const context = await call('loadTurnContinuationContext', request, callContext)
  const text = prompt.render(context as OperationOutput<'loadTurnContinuationContext'>, turn)
  return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] }
}
