import type { Command } from 'commander'
import type { TurnState } from '../memory/record/record.ts'
import { type PageOptions, whole, withJson, withPage, withProject } from './options.ts'
import { printJson, printNote, printText } from './output.ts'

type ListOptions = PageOptions & { project?: string; json?: boolean }
type OneOptions = { project?: string; json?: boolean }

/** `turngraph worlds turns|turn|history`; `turngraph turns` is for those of transcripts. */
export function addWorldTurns(worlds: Command): void {
  const list = worlds
    .command('turns')
    .description("list a world's turns")
    .argument('<slug>')
    .action(listTurns)
  const get = worlds
    .command('turn')
    .description('show a turn as it was stored')
    .argument('<slug>')
    .argument('<turn>', 'its number', whole)
    .action(showTurn)
  const history = worlds
    .command('history')
    .description('list the records that once stood at a turn, newest first')
    .argument('<slug>')
    .argument('<turn>', 'its number', whole)
    .action(listHistory)
  for (const command of [list, history]) withPage(command)
  for (const command of [list, get, history]) withJson(withProject(command))
}

async function listTurns(worldSlug: string, { project, json, ...page }: ListOptions): Promise<void> {
  const { withClient, readPages, operations, toWire } = await load()
  const found = await withClient({ project, readsOnly: true }, (client) =>
    readPages(page, (window) => client.listTurns({ worldSlug, ...window })),
  )
  if (json) return printJson(toWire(operations.listTurns.output, found))
  await printTurns(found, `World ${worldSlug} has no turns.`)
}

async function listHistory(
  worldSlug: string,
  turnNumber: number,
  { project, json, ...page }: ListOptions,
): Promise<void> {
  const { withClient, readPages, operations, toWire } = await load()
  const found = await withClient({ project, readsOnly: true }, (client) =>
    readPages(page, (window) => client.getTurnHistory({ worldSlug, turnNumber, ...window })),
  )
  if (json) return printJson(toWire(operations.getTurnHistory.output, found))
  await printTurns(found, `Turn ${turnNumber} of world ${worldSlug} has no earlier records.`)
}

async function showTurn(worldSlug: string, turnNumber: number, { project, json }: OneOptions): Promise<void> {
  const { withClient, operations, toWire } = await load()
  const turn = await withClient({ project, readsOnly: true }, (client) =>
    client.getTurn({ worldSlug, turnNumber }),
  )
  const wire = toWire(operations.getTurn.output, turn) as Record<string, unknown>
  if (json) return printJson(wire)
  for (const [field, value] of Object.entries(wire))
    if (!isEmpty(value)) printText(`${field}:${Array.isArray(value) ? '' : ' '}${shown(value)}`)
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

/** A list stands below its name, one entry a line. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map((entry) => `\n  - ${shown(entry)}`).join('')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .filter(([, held]) => !isEmpty(held))
    .map(([key, held]) => `${key}: ${Array.isArray(held) ? held.join(', ') : shown(held)}`)
    .join('; ')
}

async function printTurns(
  { items, nextCursor }: { items: readonly TurnState[]; nextCursor: string | null },
  none: string,
): Promise<void> {
  if (items.length === 0) return printNote(none)
  const { beginning, printTable } = await import('./table.ts')
  printTable(
    ['turn', 'player', 'coach', 'verified', 'issues', 'completed', 'summary'],
    items.map((turn) => {
      const statuses = [
        ...Object.values(turn.acceptanceCriteriaStatus),
        ...turn.verifications.map((v) => v.status),
      ]
      const verified = statuses.filter((status) => status === 'verified').length
      return [
        turn.turnNumber,
        turn.playerDecision,
        turn.coachDecision,
        `${verified}/${statuses.length}`,
        turn.issues.length,
        turn.completedAt,
        beginning(turn.playerSummary, 60),
      ]
    }),
  )
  if (nextCursor !== null) printNote(`More: --cursor ${nextCursor}`)
}

async function load() {
  const [{ withClient }, { readPages }, { operations }, { toWire }] = await Promise.all([
    import('./connect.ts'),
    import('./pages.ts'),
    import('../operations/table.ts'),
    import('../core/wire-form.ts'),
  ])
  return { withClient, readPages, operations, toWire }
}
