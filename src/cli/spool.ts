/** `turngraph spool`: lists and sends the turns that wait on this disk while the service is unreachable. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { toAddress } from '../client/http.ts'
import type { SpoolFolder } from '../client/spool.ts'
import { TurngraphError } from '../core/errors.ts'
import { EXIT } from '../core/exit-codes.ts'
import { parseJson } from '../core/parse-json.ts'
import { plural } from '../core/plural.ts'
import { action, group, JSON_FORM } from './command.ts'
import { printJson, printList, printNote, printText } from './output.ts'

const FOLDER = { folder: ['[folder]', 'the spool of a client (default: spool in the data folder)'] } as const

const addList = action(
  {
    name: 'list',
    description: 'list the turns that wait, and the refused ones with the reason',
    arguments: FOLDER,
    options: JSON_FORM,
  },
  async ({ folder, json }) => {
    const { SpoolFolder } = await import('../client/spool.ts')
    const place = await spoolIn(folder)
    const files = new SpoolFolder({ folder: place }, printNote)
    const items = isSpool(place) ? ['', 'refused'].flatMap((part) => describeFiles(files, part)) : []
    if (json) return printJson({ folder: place, items })
    await printList(items, `Nothing waits in ${place}.`, {
      file: 'file',
      status: 'status',
      feature: 'feature_id',
      task: 'task_id',
      world: 'world_slug',
      turn: 'turn_number',
      reason: 'reason',
    })
  },
)

const addSend = action(
  {
    name: 'send',
    description: 'send the turns that wait, to the service of TURNGRAPH_URL or of the data folder',
    arguments: FOLDER,
    options: {
      isMoved: ['--moved', 'send also what waits for another address: the same service has moved'],
      ...JSON_FORM,
    },
    help: 'A turn that the service refuses stays in the folder `refused` of the spool, with the reason.',
  },
  async ({ folder, isMoved = false, json }) => {
    const { configFor, createHttpClient } = await import('./connect.ts')
    const { runningServer } = await import('./running-server.ts')
    const { spoolingClient } = await import('../client/spooling.ts')
    const place = await spoolIn(folder)
    const config = configFor()
    if (!isSpool(place)) return json ? printJson({ sent: 0, refused: 0, waiting: 0 }) : nothingWaits(place)
    const url = config.url ?? (await runningServer(config))?.url
    if (url === undefined) throw noService()
    const replayer = createHttpClient(config, undefined, url)
    const address = toAddress(url)
    const options = { spool: { folder: place }, replayer, address, isMoved, project: null, log: printNote }
    const client = spoolingClient(replayer, options)
    try {
      const { stoppedBy, ...counts } = (await (await client.spool())?.replay()) ?? NOTHING
      if (json) printJson(counts)
      else if (counts.sent + counts.refused + counts.waiting === 0) nothingWaits(place)
      else
        printText(
          `${plural(counts.sent, 'turn')} sent, ${counts.refused} refused, ${counts.waiting} still waiting.`,
        )
      if (counts.refused > 0) process.exitCode = EXIT.found.code
      if (stoppedBy !== null) throw stoppedBy
    } finally {
      await client.close()
    }
  },
)

/** True if the folder is a spool, which has a folder `refused`. Other folders are not changed. */
const isSpool = (place: string): boolean => existsSync(path.join(place, 'refused'))

/** Describes files in the wire form. Leaves out files that another process has sent since they were listed. */
const describeFiles = (files: SpoolFolder, part: string) =>
  files.list(part).flatMap((file) => {
    const entry = files.read(file)
    if (entry === null) return []
    const capture = entry instanceof TurngraphError ? null : entry
    const turn = capture?.operation === 'commitAttempt' ? capture.input.turn : capture?.input
    const reason = path.join(files.folder, part, `${file.number}.error.json`)
    return {
      file: file.name,
      status: part === 'refused' ? 'refused' : file.isHeld ? 'being sent' : 'waiting',
      address: capture?.address ?? null,
      project: capture?.input.project ?? null,
      feature_id: turn?.featureId ?? null,
      task_id: turn?.taskId ?? null,
      world_slug: turn?.worldSlug ?? null,
      turn_number: turn?.turnNumber ?? null,
      reason: existsSync(reason)
        ? readMessage(reason)
        : entry instanceof TurngraphError
          ? entry.message
          : null,
    }
  })

const readMessage = (file: string): string | null =>
  (parseJson(readFileSync(file, 'utf8')) as { error?: { message?: string } } | undefined)?.error?.message ??
  null

const NOTHING = { sent: 0, refused: 0, waiting: 0, stoppedBy: null }
const nothingWaits = (place: string): void => printNote(`Nothing waits in ${place}.`)

async function spoolIn(folder: string | undefined): Promise<string> {
  const { configFor } = await import('./connect.ts')
  return path.resolve(folder ?? path.join(configFor().dataFolder, 'spool'))
}

const noService = (): TurngraphError =>
  new TurngraphError('store_unavailable', 'There is no service to send the turns to.', {
    hint: 'Start it (`turngraph serve`), or set TURNGRAPH_URL to its address.',
  })

export const addSpool = group(
  {
    name: 'spool',
    description: 'the turns that wait on this disk while the service is away',
    help: 'Examples:\n  turngraph spool list\n  turngraph spool send .turngraph/spool',
  },
  [addList, addSend],
)
