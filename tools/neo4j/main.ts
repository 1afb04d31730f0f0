// `npm run neo4j`: starts, stops and shows the servers of this checkout.
import { Command, InvalidArgumentError, Option } from 'commander'
import { freePort, isFree } from './free-port.ts'
import { launch } from './launch.ts'
import { type Neo4jVersion, releases } from './releases.ts'
import { prepare } from './server.ts'
import { dataFolder, endStarted, remember, startedServer } from './started-server.ts'

const versions: readonly Neo4jVersion[] = ['lts', 'current']
const boltPort = 7687

const program = new Command('npm run neo4j --').description(
  'A real Neo4j Community without Docker, on the loopback',
)

program
  .command('start')
  .description('start a server; its data is kept between starts')
  .addOption(versionOption().default('lts'))
  .option(
    '--auth <password>',
    'turn authentication on, as user neo4j with this password (8 characters or more)',
  )
  .option('--page-cache <size>', 'how much of the store it keeps in memory (default: 64m)')
  .option('--port <port>', `port for bolt (default: ${boltPort}, or a free one if that is taken)`, parsePort)
  .action(start)

program
  .command('stop')
  .description('stop what `start` has started')
  .addOption(versionOption('only this one'))
  .action(stop)

program
  .command('status')
  .description('show what runs')
  .addOption(versionOption('only this one'))
  .action(status)

interface StartOptions {
  version: Neo4jVersion
  auth?: string
  pageCache?: string
  port?: number
}

async function start({ version, auth, pageCache, port }: StartOptions): Promise<void> {
  const already = startedServer(version)
  if (already !== undefined) return print(version, already)
  const options = await prepare({
    version,
    folder: dataFolder(version),
    port: port ?? ((await isFree(boltPort)) ? boltPort : await freePort()),
    ...(auth === undefined ? {} : { password: auth }),
    ...(pageCache === undefined ? {} : { settings: { 'server.memory.pagecache.size': pageCache } }),
  })
  const running = await launch(options)
  const server = { pid: running.pid, url: options.url, folder: options.folder }
  await remember(version, server)
  running.release()
  print(version, server)
}

async function stop(options: { version?: Neo4jVersion }): Promise<void> {
  for (const version of chosen(options)) {
    const server = startedServer(version)
    if (server !== undefined) await endStarted(version, server)
    console.log(
      `${label(version)} ${server === undefined ? 'was not running' : `stopped, pid ${server.pid}`}`,
    )
  }
}

function status(options: { version?: Neo4jVersion }): void {
  for (const version of chosen(options)) {
    const server = startedServer(version)
    if (server === undefined) console.log(`${label(version)} not running`)
    else print(version, server)
  }
}

function print(version: Neo4jVersion, server: { url: string; pid: number; folder: string }): void {
  console.log(`${label(version)} ${server.url}  pid ${server.pid}  ${server.folder}`)
}

function label(version: Neo4jVersion): string {
  return `${version} (${releases[version].number})`.padEnd(20)
}

function chosen({ version }: { version?: Neo4jVersion }): readonly Neo4jVersion[] {
  return version === undefined ? versions : [version]
}

function versionOption(note = 'which Neo4j'): Option {
  return new Option('--version <version>', note).choices(versions)
}

function parsePort(text: string): number {
  const port = Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new InvalidArgumentError('not a port number')
  return port
}

try {
  await program.parseAsync()
} catch (error) {
  program.error(error instanceof Error ? error.message : String(error))
}
