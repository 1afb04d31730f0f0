/** Chooses the command that is useful next for the data of a graph. */
import type { CallOptions, TurngraphClient } from '../client/client.ts'
import { quoteForShell } from '../rules/command-line.ts'
import { isOver } from '../rules/session-outcome.ts'

type Client = Pick<TurngraphClient, 'listProjects' | 'listWorlds' | 'listTranscriptPatterns'>

const IMPORT = 'turngraph import autobuild PATH'
const MAX_SESSIONS = 50

export async function chooseNextCommand(
  client: Client,
  ownProject: string,
  call?: CallOptions,
): Promise<string> {
  const { items: projects } = await client.listProjects({}, call)
  const { project } = projects.find((each) => each.project === ownProject) ?? projects[0] ?? {}
  if (project === undefined) return IMPORT
  const option = project === ownProject ? '' : ` --project ${quoteForShell(project)}`
  const request = { project, order: 'last_activity', limit: MAX_SESSIONS, withoutTokens: true } as const
  const { items: sessions } = await client.listWorlds(request, call)
  const open = sessions.find(({ outcome }) => !isOver(outcome))
  if (open !== undefined) return `turngraph next --world ${quoteForShell(open.worldSlug)}${option}`
  if (sessions.length > 0) return `turngraph worlds${option}`
  const { items: patterns } = await client.listTranscriptPatterns({ project, minLength: 0, limit: 1 }, call)
  return patterns.length > 0 ? `turngraph turns --min-length 0${option}` : IMPORT
}
