/** `turngraph open`: opens the page of the running service. */
import { TurngraphError } from '../core/errors.ts'
import { action, type Given } from './command.ts'
import { hasDisplay, openBrowser } from './open-browser.ts'
import { printNote, printText } from './output.ts'
import { pageAddress } from './page-address.ts'

const OPTIONS = { print: ['--print', 'print the address, and open nothing'] } as const

export const addOpen = action(
  {
    name: 'open',
    description: 'open the page of the running service; without a display, print its address',
    options: OPTIONS,
    help: `The address holds a code that lets one browser in. The code works once, within a minute; the browser then stays signed in for
twelve hours after its last request.

Examples:
  turngraph open
  turngraph open --print`,
  },
  openPage,
)

async function openPage({ print = !hasDisplay() }: Given<typeof OPTIONS>): Promise<void> {
  const { loadConfig, shownFolder } = await import('../platform/config.ts')
  const { requireProof, runningServer } = await import('./running-server.ts')
  const { tokenFor } = await import('./connect.ts')
  const config = loadConfig(process.env)
  const { url: named, dataFolder } = config
  const served = named ?? (await runningServer(config))?.url ?? null
  if (served === null) throw notThere(`No service runs on ${shownFolder(dataFolder)}`)
  if (named !== null) await requireProof(config, named, tokenFor(config))
  const address = await pageAddress(config, served)
  if (print) return printText(address)
  printNote(`Opening the page of ${served}. If no browser comes: turngraph open --print`)
  await openBrowser(dataFolder, address)
}

const notThere = (what: string): TurngraphError =>
  new TurngraphError('not_found', `${what}: start one with \`turngraph serve\`.`)
