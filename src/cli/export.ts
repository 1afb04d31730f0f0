/** `turngraph export`: writes the graph as JSON lines, to a file or to standard output. */
import type { TurngraphClient } from '../client/client.ts'
import { invalidField, TurngraphError } from '../core/errors.ts'
import { plural } from '../core/plural.ts'
import { action, ONE_PROJECT } from './command.ts'
import { printNote } from './output.ts'
import { readPages } from './require-project.ts'

const FORMATS = { choices: ['records', 'in-toto'] } as const

export const addExport = action(
  {
    name: 'export',
    description: 'write the graph as JSON lines, to be restored elsewhere: all projects, or one',
    options: {
      ...ONE_PROJECT,
      since: [
        '--since <instant>',
        'whole worlds and transcript sessions that moved since',
        { parse: String },
      ],
      pairs: ['--pairs', "a training set: a line for each turn with a Coach's verdict, with what led to it"],
      format: ['--format <format>', 'records, or in-toto with --world (default: records)', FORMATS],
      worldSlug: ['--world <slug>', 'with --format in-toto: the session whose observed proofs are written'],
      session: ['--session <id>', 'one transcript session as a trajectory in ATIF 1.7, without any text'],
      out: ['--out <file>', 'where to write; it appears there once it is whole (default: standard output)'],
    },
    help: `Examples:
  turngraph export > backup.jsonl
  turngraph export --project shop --out shop.jsonl
  turngraph export --project shop --pairs > training.jsonl
  turngraph export --project shop --format in-toto --world TASK-1 > statements.jsonl

--format in-toto writes one in-toto Statement v1 with the predicate test-result for each criterion that was observed.`,
  },
  async ({ project, since, pairs = false, format, worldSlug, session, out }) => {
    const { withClient } = await import('./connect.ts')
    const { exportLines, readPages: readPairs } = await import('../maintenance/export/export-lines.ts')
    const { checkOut } = await import('./write-whole.ts')
    if (session !== undefined && (pairs || since !== undefined || format !== undefined))
      throw invalidField('session', 'cannot be combined with --pairs, --since or --format')
    if (out !== undefined) await checkOut(out)
    if (format === 'in-toto' || worldSlug !== undefined) {
      if (format !== 'in-toto' || worldSlug === undefined || pairs || since !== undefined)
        throw new TurngraphError(
          'invalid_request',
          '--format in-toto and --world belong together, without --pairs and --since.',
          { hint: '`turngraph export --help` shows an example.' },
        )
    }
    const request = { since: since ?? null, content: pairs ? ('pairs' as const) : ('records' as const) }
    const readLines = (client: TurngraphClient): AsyncIterable<string> => {
      if (worldSlug !== undefined) return statementLines(client, worldSlug)
      if (session !== undefined) return readTrajectory(client, session)
      const read = (cursor: string | null) =>
        project === undefined
          ? client.exportGraphPage({ ...request, cursor })
          : client.exportPage({ ...request, project, cursor })
      return pairs ? readPairs(read) : exportLines(read)
    }
    await withClient({ project, readsOnly: true }, (client) => writeLines(readLines(client), out))
  },
)

async function* statementLines(client: TurngraphClient, worldSlug: string): AsyncGenerator<string> {
  const { findObservedProof, toStatement } = await import('../rules/in-toto.ts')
  const { criteria } = await client.listCriteria({ worldSlug, policy: 'observed' })
  let withoutFiles = 0
  for (const criterion of criteria) {
    const { items: history } = await readPages({}, (window) =>
      client.getCriterionHistory({ key: criterion.key, worldSlug, observed: true, ...window }),
    )
    const proof = findObservedProof(criterion, worldSlug, history)
    if (proof === null) continue
    const statement = toStatement(proof)
    if (statement === null) withoutFiles++
    else yield JSON.stringify(statement)
  }
  if (withoutFiles > 0)
    printNote(`${plural(withoutFiles, 'observation')} left out: outside of a git repository.`)
}

async function* readTrajectory(client: TurngraphClient, sessionId: string): AsyncGenerator<string> {
  const { atifDocument } = await import('../rules/atif-document.ts')
  const { items } = await client.listTranscriptTurns({ sessionId, minLength: 0, limit: 0 })
  const turns = []
  for (const turn of items.toSorted((a, b) => a.index - b.index)) {
    const { items: steps } = await readPages({}, (window) =>
      client.listTranscriptSteps({ sessionId, index: turn.index, ...window }),
    )
    turns.push({ turn, steps })
  }
  yield JSON.stringify(atifDocument(sessionId, items[0]?.agent ?? 'unknown', turns))
}

async function writeLines(lines: AsyncIterable<string>, out: string | undefined): Promise<void> {
  const { writeWhole } = await import('./write-whole.ts')
  let written = 0
  const countLines = async function* () {
    for await (const line of lines) {
      written++
      yield `${line}\n`
    }
  }
  await writeWhole(countLines(), out)
  if (out !== undefined) printNote(`Wrote ${plural(written, 'line')} to ${out}.`)
}
