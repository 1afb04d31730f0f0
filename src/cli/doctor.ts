import type { Command } from 'commander'
import type { TurngraphClient } from '../client/client.ts'
import type { Examination } from '../doctor/examine.ts'
import type { Finding } from '../doctor/finding.ts'
import { withJson, withProject } from './options.ts'
import { printJson, printText, showProgress } from './output.ts'

type Found = { examined: number; findings: Finding[] }
type Options = { project?: string; json?: boolean }

/** As a failed check: the errors of commands have codes of their own. */
const FINDINGS = 1

export function addDoctor(program: Command): void {
  const doctor = program
    .command('doctor')
    .description('examine the graph: schema, records, chains, counters, what is derived; it changes nothing')
    .addHelpText(
      'after',
      `
Without --project all projects, and what belongs to none. Each finding names its check, the record and a remedy
(docs/operations.md). Exit codes: 0 nothing found, 1 something found; else those of every command.

Examples:
  turngraph doctor
  turngraph doctor --project shop
  turngraph doctor --json | jq -r '.findings[] | "\\(.check) \\(.key)"'
`,
    )
    .action(examineGraph)
  withJson(withProject(doctor))
}

async function examineGraph({ project, json = false }: Options): Promise<void> {
  const { withClient } = await import('./connect.ts')
  const found = await withClient({ project, readsOnly: true, asItIs: true }, (client) =>
    examineAll(client, project),
  )
  const healthy = found.findings.length === 0
  if (!healthy) process.exitCode = FINDINGS
  if (json) return printJson({ healthy, ...found })
  if (healthy) return printText(`Healthy: ${found.examined} records examined, nothing found.`)
  for (const finding of found.findings) printFinding(finding)
  printText(`${found.findings.length} findings; ${found.examined} records examined.`)
}

async function examineAll(client: TurngraphClient, project: string | undefined): Promise<Found> {
  const all: Found = { examined: 0, findings: [] }
  let cursor: string | null = null
  do {
    const answer: Examination =
      project === undefined
        ? await client.examineGraph({ cursor })
        : await client.examine({ project, cursor })
    all.examined += answer.examined
    all.findings.push(...answer.findings)
    cursor = answer.nextCursor
    showProgress(`${all.examined} records examined`)
  } while (cursor !== null)
  showProgress('')
  return all
}

function printFinding({ check, severity, label, key, found, remedy }: Finding): void {
  const about = [label, key].filter((part) => part !== null).join(' ')
  printText(
    `${severity}: ${check}${about === '' ? '' : `: ${about}`}\n  found: ${found}\n  remedy: ${remedy}`,
  )
}
