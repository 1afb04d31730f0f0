/** `turngraph doctor`: examines the graph, and repairs what can be derived. */
import type { TurngraphClient } from '../client/client.ts'
import { EXIT } from '../core/exit-codes.ts'
import { plural } from '../core/plural.ts'
import type { Examination } from '../maintenance/doctor/examine.ts'
import type { Finding } from '../maintenance/doctor/finding.ts'
import { toOneLine } from '../rules/foreign-text.ts'
import { action, JSON_FORM, ONE_PROJECT } from './command.ts'
import { takeNewsOfGraph } from './graph-in-use.ts'
import { printJson, printLines, printText, showProgress } from './output.ts'

type Found = { examined: number; findings: Finding[] }
export const addDoctor = action(
  {
    name: 'doctor',
    description:
      'examine the graph: schema, records, chains, counters, what is derived; it changes nothing unless told to',
    options: {
      repair: [
        '--repair',
        'put right what can be derived from the graph itself; never removes what a turn says',
      ],
      ...ONE_PROJECT,
      ...JSON_FORM,
    },
    help: `Without --project it also examines nodes that belong to no project. Each finding names its check, the record and a remedy.
Exit codes: 0 nothing found, 8 something found (with --repair: left); else those of every command.

Examples:
  turngraph doctor
  turngraph doctor --project shop
  turngraph doctor --repair
  turngraph doctor --json | jq -r '.findings[] | "\\(.check) \\(.key)"'`,
  },
  async ({ project, json = false, repair = false }) => {
    const { withClient } = await import('./connect.ts')
    const found = await withClient({ project, readsOnly: !repair, asItIs: !repair }, (client) =>
      examineAll(client, project, repair),
    )
    const left = found.findings.filter(({ repaired }) => !repaired)
    const healthy = left.length === 0
    if (!healthy) process.exitCode = EXIT.found.code
    if (json) return printJson({ healthy, ...found })
    if (found.findings.length === 0)
      return printText(
        takeNewsOfGraph() ?? `Healthy: ${plural(found.examined, 'record')} examined, nothing found.`,
      )
    for (const finding of found.findings) printFinding(finding)
    printText(
      `${plural(found.findings.length, 'finding')}${repair ? `, ${left.length} left` : ''}; ${plural(found.examined, 'record')} examined.`,
    )
  },
)

async function examineAll(
  client: TurngraphClient,
  project: string | undefined,
  repair: boolean,
): Promise<Found> {
  const all: Found = { examined: 0, findings: [] }
  let cursor: string | null = null
  do {
    const answer: Examination =
      project === undefined
        ? await client.examineGraph({ cursor, repair })
        : await client.examine({ project, cursor, repair })
    all.examined += answer.examined
    all.findings.push(...answer.findings)
    cursor = answer.nextCursor
    showProgress(`${plural(all.examined, 'record')} examined`)
  } while (cursor !== null)
  showProgress('')
  return all
}

function printFinding({ check, severity, label, key, found, remedy, repaired }: Finding): void {
  const about = [label, key].filter((part) => part !== null).join(' ')
  const lines = [
    `${repaired ? 'repaired' : severity}: ${check}${about === '' ? '' : `: ${about}`}`,
    `found: ${found}`,
    ...(repaired ? [] : [`remedy: ${remedy}`]),
  ]
  printLines(lines.map(toOneLine).join('\n  '))
}
