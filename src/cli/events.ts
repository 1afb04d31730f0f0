/** `turngraph tail`: prints changes live, as text or as JSON lines. */

import { plural } from '../core/plural.ts'
import type { EventWithCursor } from '../operations/events.ts'
import { toOneLine } from '../rules/foreign-text.ts'
import { contestedNote } from '../rules/notes.ts'
import { action, type Given, PROJECT } from './command.ts'
import { printAway, printJsonLine, printLines } from './output.ts'
import { untilDoneOrSignalled } from './signals.ts'
import { colors } from './terminal.ts'

const OPTIONS = {
  worldSlug: ['--world <slug>', 'of one session, which may begin later (default: all of the project)'],
  snapshot: ['--snapshot', 'begin with what is there'],
  cursor: ['--cursor <cursor>', 'continue after the event that has it'],
  json: ['--json', 'print JSON lines, each with a cursor to continue from'],
  ...PROJECT,
} as const

/** Verdicts that need no action. */
const QUIET_VERDICTS: readonly string[] = ['progressing', 'no_growth', 'insufficient_data', 'finished']

export const addTail = action(
  {
    name: 'tail',
    description: 'print a line for each session that moves, and for each run',
    options: OPTIONS,
    help: `Examples:
  turngraph tail --world TASK-1
  turngraph tail --json --project shop --snapshot | jq -c 'select(.type == "session")'`,
  },
  ({ json, ...given }) => follow(given, json ? printWire : async (event) => printLines(renderLine(event))),
)

async function follow(
  { project, ...filter }: Omit<Given<typeof OPTIONS>, 'json'>,
  print: (event: EventWithCursor) => Promise<void>,
): Promise<void> {
  const { withClient } = await import('./connect.ts')
  const exitCode = await untilDoneOrSignalled((signal) =>
    withClient({ project, readsOnly: true }, async (client) => {
      for await (const event of client.events(filter, { signal, onAway: printAway })) await print(event)
    }),
  )
  if (exitCode !== null) process.exitCode = exitCode
}

async function printWire({ cursor, ...event }: EventWithCursor): Promise<void> {
  const { schemaOfEvent } = await import('../operations/events.ts')
  const { toWire } = await import('../core/wire-form.ts')
  const wire = toWire(schemaOfEvent(event), event) as object
  printJsonLine({ ...wire, cursor })
}

function renderLine(event: EventWithCursor): string {
  const { dim, bold } = colors(process.stdout)
  const time = dim(event.changedAt.slice(11, 19))
  if (event.type === 'import')
    return `${time}  transcript ${toOneLine(event.sessionId)}: ${plural(event.bytes, 'byte')} read`
  const world = bold(toOneLine(event.worldSlug))
  return `${time}  ${world}  ${event.type === 'run' ? toOneLine(event.message) : sessionLine(event)}`
}

function sessionLine(session: EventWithCursor & { type: 'session' }): string {
  const { green, yellow, red, dim } = colors(process.stdout)
  if (session.deletedAt !== null) return dim('deleted')
  if (session.currentTurn === 0)
    return dim(session.activeAttemptId === null ? 'no turn yet' : 'turn 1 is under way')
  const { decision, verdict } = session
  const paint =
    decision === 'approved' ? green : decision === 'error' || decision === 'rejected' ? red : yellow
  return [
    `turn ${session.currentTurn}`,
    paint(decision ?? 'unknown'),
    `${session.verified}/${session.total} proven${contestedNote(session.contested)}`,
    QUIET_VERDICTS.includes(verdict) ? dim(verdict) : red(verdict),
    ...(session.activeAttemptId === null ? [] : [dim(`turn ${session.currentTurn + 1} is under way`)]),
  ].join('  ')
}
