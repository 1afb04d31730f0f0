/** `turngraph search`: finds texts of a project by their words. */
import type { SearchHit } from '../search/search.ts'
import { command, PAGE, ROLES, SHARED } from './command.ts'
import { printNote, printText } from './output.ts'

const KINDS = {
  choices: ['criterion', 'lesson', 'blocker', 'issue', 'feedback', 'summary', 'failed_call'],
} as const

export const addSearch = command({
  name: 'search',
  description:
    'find summaries, feedback, issues, lessons, blockers, criteria and failed calls by their words',
  operation: 'search',
  arguments: { q: ['<query>', 'words that a text must have, whole or as the beginning of a word'] },
  options: {
    kind: ['--kind <kind>', 'texts of this kind only (default: all)', KINDS],
    role: ['--role <role>', 'for whom (default: coach)', ROLES],
    limit: ['--limit <n>', 'number of hits, 1 to 100 (default: 20)'],
    cursor: PAGE.cursor,
    ...SHARED,
  },
  help: 'Example:\n  turngraph search "connection pool" --kind lesson',
  print: ({ items }) => printHits(items),
})

function printHits(hits: readonly SearchHit[]): void {
  if (hits.length === 0) printNote('No text has all of these words.')
  for (const { kind, worldSlug, taskId, turn, sessionId, snippet } of hits) {
    const place = [worldSlug ?? taskId ?? sessionId, turn === null ? null : `turn ${turn}`]
    const source = [kind.replace('_', ' '), ...place.filter((part) => part !== null)].join(' ')
    printText(`${source}: ${snippet}`)
  }
}
