/** `turngraph watch`: imports autobuild artifacts and transcripts while a session writes them. */
import { stat } from 'node:fs/promises'
import { TurngraphError } from '../core/errors.ts'
import { action, type Given, SHARED } from './command.ts'
import { printNote } from './output.ts'
import { untilSignalled } from './signals.ts'

const ARGUMENTS = {
  path: [
    '<path...>',
    'folders with autobuild artifacts (TASK/player_turn_N.json, TASK/coach_turn_N.json), at any depth, now or later',
  ],
} as const

const OPTIONS = {
  transcripts: [
    '--transcripts <path...>',
    'folders of transcripts of Claude Code too',
    { parse: (text: string, before: string[] = []): string[] => [...before, text] },
  ],
  writeContext: [
    '--write-context <file_pattern>',
    "write the next turn's contexts beside the artifacts, for example 'turn-{turn}-{role}.md'",
  ],
  specifications: ['--no-specifications', 'do not declare what the files of the tasks say must hold'],
  ...SHARED,
  json: ['--json', 'print a JSON line for each event'],
} as const

export const addWatch = action(
  {
    name: 'watch',
    description: 'import autobuild artifacts as a session writes them, until SIGINT or SIGTERM',
    arguments: ARGUMENTS,
    options: OPTIONS,
    help: `A turn is imported when it has ended: it was judged, its turn state is there if the session writes them, and its files are whole.
Nothing is written into the folders, unless --write-context asks for it. Without a running server it serves the graph itself,
for other commands too.

Examples:
  turngraph watch ~/shop --project shop
  turngraph watch ~/shop --transcripts ~/.claude/projects/-home-me-shop --write-context 'turn-{turn}-{role}.md'`,
  },
  watch,
)

async function watch({
  path: paths = [],
  transcripts = [],
  writeContext,
  specifications = true,
  project,
  json = false,
}: Given<typeof ARGUMENTS & typeof OPTIONS>): Promise<void> {
  const { createLog } = await import('../platform/log.ts')
  const { configFor } = await import('./connect.ts')
  const { contextFileNames } = await import('./context-file.ts')
  const { SharedService } = await import('./shared-service.ts')
  const { createPrinter } = await import('./watch-lines.ts')
  const { watchFolders } = await import('./watch-loop.ts')
  await refuseFiles(paths)
  const nameContext = writeContext === undefined ? null : contextFileNames(writeContext)
  const config = configFor(project)
  const service = new SharedService(config, project, createLog('warn'))
  const stop = new AbortController()
  try {
    await service.client() // reports a graph that cannot be opened now instead of at the first turn
    if (service.isOwn && !json)
      printNote('There is no server: this command serves the graph to others until it ends.')
    const watching = watchFolders(
      {
        paths,
        transcripts,
        nameContext,
        specifications,
        project: project ?? null,
        transcriptProject: config.project,
      },
      { use: (work) => service.use(work), print: createPrinter(json), signal: stop.signal },
    )
    const stopped = untilSignalled(async () => {
      stop.abort()
      await watching
    })
    // A watch ends without a signal only if it fails.
    await Promise.race([watching, stopped])
    process.exitCode = await stopped
  } finally {
    await service.close()
  }
}

/** Rejects files. Accepts missing paths, which may become folders. */
async function refuseFiles(paths: readonly string[]): Promise<void> {
  for (const each of paths) {
    const found = await stat(each).catch(() => null)
    if (found === null || found.isDirectory()) continue
    throw new TurngraphError('invalid_request', `${each} is no folder.`, {
      hint: 'Name the folder that holds it: what is finished in it is imported.',
    })
  }
}
