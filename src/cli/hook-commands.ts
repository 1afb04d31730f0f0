/** Builds the hooks of Turngraph for the settings of a coding agent. */
import { fileURLToPath } from 'node:url'
import { CODEX } from '../rules/agents.ts'
import { policyArguments } from './gate-policy.ts'
import {
  CODEX_IMPORT_EVENTS,
  type Hook,
  IMPORT_EVENTS,
  quoteArgument,
  START_SOURCES,
} from './hook-settings.ts'

type Wanted = {
  agent: string | undefined
  dataFolder: string
  project: string | undefined
  gate: { limit: number; policy: string } | null
}

export function createHooks({ agent, dataFolder, project, gate }: Wanted): Hook[] {
  const run = (program: string, ...args: string[]) =>
    [process.execPath, fileURLToPath(new URL(program, import.meta.url)), dataFolder, ...args]
      .concat(project ?? [])
      .map(quoteArgument)
      .join(' ')
  const events = agent === CODEX ? CODEX_IMPORT_EVENTS : IMPORT_EVENTS
  const hooks: Hook[] = events.map((event) => ({ event, command: run('./hook-run.js') }))
  if (gate !== null) {
    const policy = policyArguments(gate.policy)
    hooks.push({ event: 'Stop', command: run('./hook-gate.js', String(gate.limit), ...policy) })
    const command = run('./hook-context.js', ...policy)
    hooks.push({ event: 'SessionStart', matcher: START_SOURCES, command })
  }
  return hooks
}
