/** Prints the events of a watch: one line per turn, and each warning once. */
import { toSnakeCase } from '../core/wire-form.ts'
import { describeBases } from '../rules/basis.ts'
import { toOneLine } from '../rules/foreign-text.ts'
import { describeCounts, type ProofCounts } from '../rules/notes.ts'
import { printJsonLine, printNote, printText } from './output.ts'

export type WatchEvent =
  | { type: 'watching'; paths: readonly string[]; missing: readonly string[] }
  | (ProofCounts & {
      type: 'turn'
      project: string
      featureId: string
      taskId: string
      worldSlug: string
      turnNumber: number
      decision: string
      verified: number
      contested: number
      contestedInTurns: readonly number[]
      total: number
      superseded: boolean
    })
  | { type: 'warning'; taskId: string; turnNumber: number | null; field: string; message: string }
  | { type: 'skipped'; file: string; reason: string }
  | { type: 'context'; file: string }
  | { type: 'no_private_folder' }
  | { type: 'transcripts'; files: number; turns: number; steps: number; bytes: number }
  | { type: 'unnotified'; message: string }
  | { type: 'away'; code: string; message: string }
  | { type: 'back' }

/** Events that are printed once: repeated warnings of a session that lasts hours would bury its turns. */
const SAID_ONCE: readonly WatchEvent['type'][] = ['warning', 'skipped', 'unnotified', 'no_private_folder']

export function createPrinter(json: boolean): (event: WatchEvent) => void {
  const said = new Set<string>()
  return (event) => {
    const key = JSON.stringify(event)
    if (SAID_ONCE.includes(event.type) && said.has(key)) return
    if (SAID_ONCE.includes(event.type)) said.add(key)
    if (json) {
      printJsonLine(toSnakeCase({ ...event, at: new Date().toISOString() }))
      return
    }
    const shown = flattenEventTexts(event)
    if (shown.type === 'turn') return printText(turnLine(shown))
    for (const note of renderNote(shown)) printNote(note)
  }
}

/** Reduces names of folders and texts of files to one line each. */
const flattenEventTexts = (event: WatchEvent): WatchEvent =>
  Object.fromEntries(
    Object.entries(event).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(toOneLine) : typeof value === 'string' ? toOneLine(value) : value,
    ]),
  ) as WatchEvent

type Turn = Extract<WatchEvent, { type: 'turn' }>

function turnLine({ taskId, worldSlug, turnNumber, decision, superseded, ...counts }: Turn): string {
  const world = worldSlug === taskId ? '' : ` (${worldSlug})`
  const again = superseded ? ', in place of an earlier record' : ''
  const proven = [describeCounts(counts), ...describeBases(counts)].join(', ')
  return `${clock()}  ${taskId}${world}  turn ${turnNumber}  ${decision}  ${proven}${again}`
}

const clock = (): string => new Date().toTimeString().slice(0, 8)

function renderNote(event: Exclude<WatchEvent, Turn>): string[] {
  switch (event.type) {
    case 'watching':
      return [
        `Watching ${event.paths.join(', ')}.    End: Ctrl+C`,
        ...event.missing.map((path) => `There is no folder at ${path} yet.`),
      ]
    case 'warning': {
      const turn = event.turnNumber === null ? '' : ` turn ${event.turnNumber}`
      return [`warning: ${event.taskId}${turn}, ${event.field}: ${event.message}`]
    }
    case 'skipped':
      return [`skipped: ${event.file}: ${event.reason}`]
    case 'away':
      return [`The graph is unavailable. New files are imported when it is available again. ${event.message}`]
    case 'unnotified':
      return [`There are no notifications of changes (${event.message}). Checks the files every few seconds.`]
    case 'no_private_folder':
      return [
        "A task has no folder below autobuild-private, so the Coach's context is not written. A Player can read the other folders.",
      ]
    case 'back':
      return ['The graph is available again.']
    default:
      return []
  }
}
