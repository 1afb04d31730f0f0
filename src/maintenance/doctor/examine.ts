import * as z from 'zod'
import { TurngraphError } from '../../core/errors.ts'
import { projectKey } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import { migrationStatus } from '../../graph/migrations.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { beginReadingAll } from '../preload.ts'
import { at, fromCursor, type Position, toCursor } from './cursor.ts'
import { Findings, finding } from './finding.ts'
import { checkSchema } from './schema.ts'
import { walkDesires, walkPatterns, walkTools } from './sums.ts'
import { walkTree } from './tasks.ts'
import { walkFiles, walkSessions } from './transcripts.ts'
import { walkLoose } from './unattached.ts'
import type { Walk, Walked } from './walked.ts'

const projects = statement('doctor/projects')
const transcribedProjects = [statement('doctor/files-projects'), statement('doctor/sessions-projects')]

export const examination = z.object({
  findings: z.array(finding),
  examined: z.number().describe('records that were looked at'),
  nextCursor: z.string().nullable().describe('where it goes on; null: that was all'),
})
export type Examination = z.output<typeof examination>

/** One answer comes well within the deadline of a request: nothing more is begun after this. */
const WORK_MS = 1_500

/** What is looked at of a project, one after another. */
const OF_PROJECT: Readonly<
  Record<string, (graph: Graph, project: string, from: Position, walk: Walk) => Promise<Walked>>
> = {
  tree: walkTree,
  sessions: walkSessions,
  files: walkFiles,
  patterns: walkPatterns,
  tools: walkTools,
  desires: walkDesires,
}
const STAGES = Object.keys(OF_PROJECT)

/**
 * Examines a graph, or one project of it, a piece at a time. What one piece takes does not grow with the graph. It
 * changes nothing, unless it is asked to repair: then it writes what it can derive from what the graph itself says, and
 * never removes a turn, a part of one, or a text.
 *
 * @param project null: the whole graph, with what belongs to no project
 * @throws `not_found` where nothing is kept of the project; `store_unavailable` where a graph of another version is to be
 *   repaired
 * @example
 * let cursor: string | null = null
 * do {
 *   const { findings, nextCursor } = await examine(graph, { project: null, cursor })
 *   cursor = nextCursor
 * } while (cursor !== null)
 */
export async function examine(
  graph: Graph,
  {
    project,
    cursor,
    repair = false,
  }: { project: string | null; cursor?: string | null | undefined; repair?: boolean | undefined },
): Promise<Examination> {
  if (repair) await refuseOtherSchema(graph)
  if (cursor == null) await beginReadingAll(graph, project)
  const ends = performance.now() + WORK_MS
  const isTime = () => performance.now() < ends
  const found: Examination = { findings: [], examined: 0, nextCursor: null }
  let place: Position | null = cursor == null ? at('schema', null) : fromCursor(cursor)
  do {
    const walked: Walked = await walk(graph, place, { isTime, repair })
    found.findings.push(...walked.findings)
    found.examined += walked.examined
    place = walked.next ?? (await after(graph, place, project))
  } while (place !== null && isTime())
  return { ...found, nextCursor: place === null ? null : toCursor(place) }
}

/** What another version of Turngraph wrote may hold what this one does not know: nothing of it may be repaired away. */
async function refuseOtherSchema(graph: Graph): Promise<void> {
  const { pending } = await migrationStatus(graph)
  if (pending.length === 0) return
  const versions = pending.map((version) => `V${version}`).join(', ')
  throw new TurngraphError(
    'store_unavailable',
    `The graph is not repaired before it is migrated: ${versions}.`,
    {
      hint: 'Run `turngraph migrate`, then `turngraph doctor --repair`.',
    },
  )
}

async function walk(graph: Graph, place: Position, how: Walk): Promise<Walked> {
  const { stage, project } = place
  if (stage === 'loose') return walkLoose(graph, place)
  const ofProject = OF_PROJECT[stage]
  if (ofProject !== undefined && project !== null) return ofProject(graph, project, place, how)
  const findings = new Findings()
  return { examined: await checkSchema(graph, findings), findings: findings.all, next: null }
}

/** What comes after a stage that is done. */
async function after(
  graph: Graph,
  { stage, project }: Position,
  only: string | null,
): Promise<Position | null> {
  if (stage === 'loose') return null
  const next = STAGES[STAGES.indexOf(stage) + 1]
  if (project !== null && next !== undefined) return at(next, project)
  if (only !== null) return project === null ? at('tree', only) : null
  const nextProject = await projectAfter(graph, project)
  return nextProject === null ? at('loose', null) : at('tree', nextProject)
}

/** The projects of the graph in the order of their keys: those of turns, and those that have transcripts alone. */
async function projectAfter(graph: Graph, project: string | null): Promise<string | null> {
  const named = await readRows(graph, projects, {}, z.object({ key: z.string() }))
  const names = named.map(({ key }) => nameOf(key))
  for (const from of transcribedProjects)
    names.push(...(await readRows(graph, from, {}, projectRow)).map(({ project: name }) => name))
  return names.filter((name) => project === null || name > project).sort()[0] ?? null
}

const projectRow = z.object({ project: z.string() })

/** A project's key is its name, encoded. */
const nameOf = (key: string): string => {
  const name = key.replaceAll('%2F', '/').replaceAll('%25', '%')
  return projectKey(name) === key ? name : key
}
