/** `turngraph open`: prints the address of the service that runs. */
import { TurngraphError } from '../core/errors.ts'
import { action } from './command.ts'
import { printText } from './output.ts'
import { pageAddress } from './page-address.ts'

export const addOpen = action(
  {
    name: 'open',
    description: 'print the address of the running service, with the token that a browser needs',
    help: `The token stands behind #, which a browser does not send: treat the address as you would the token. The command starts no
browser.

Example:
  turngraph open`,
  },
  printAddress,
)

async function printAddress(): Promise<void> {
  const [{ loadConfig, shownFolder }, { isServing, runningServer }] = await Promise.all([
    import('../platform/config.ts'),
    import('./running-server.ts'),
  ])
  const config = loadConfig(process.env)
  const { url: named, dataFolder } = config
  const served = named ?? (await runningServer(dataFolder))?.url ?? null
  if (served === null) throw notThere(`No service runs on ${shownFolder(dataFolder)}`)
  if (named !== null && !(await isServing(named)))
    throw notThere(`No service answers at ${named} (TURNGRAPH_URL)`)
  printText(await pageAddress(config, served))
}

const notThere = (what: string): TurngraphError =>
  new TurngraphError('not_found', `${what}: start one with \`turngraph serve\`.`)
