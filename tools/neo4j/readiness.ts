// Waits until a server answers queries.
import { setTimeout as sleep } from 'node:timers/promises'
import neo4j, { Neo4jError } from 'neo4j-driver'

const unauthorized = 'Neo.ClientError.Security.Unauthorized'

export interface StartingServer {
  readonly url: string
  readonly folder: string
  /** For a new server, this password is set first. */
  readonly password: string | undefined
}

/** Returns when the server answers queries. `gone` aborts when the server's process has ended. */
export async function untilReady(
  server: StartingServer,
  gone: AbortSignal,
  timeoutMs: number,
): Promise<void> {
  const { url, password } = server
  const deadline = Date.now() + timeoutMs
  let last: unknown
  while (!gone.aborted && Date.now() < deadline) {
    try {
      return await answer(server)
    } catch (error) {
      if (!(error instanceof Neo4jError)) throw error
      if (error.code === unauthorized && password !== undefined) await setFirstPassword(url, password)
      else if (!error.retryable) throw error
      last = error
    }
    await sleep(100)
  }
  throw new Error(gone.aborted ? 'it ended while starting' : `it did not answer within ${timeoutMs} ms`, {
    cause: last,
  })
}

async function answer({ url, folder, password }: StartingServer): Promise<void> {
  await withDriver(url, password, async (driver) => {
    await driver.verifyConnectivity()
    // Bolt answers before the database `neo4j` is available, mainly after a crash. Another server may also
    // have taken the port first.
    const { records } = await driver.executeQuery(
      "SHOW SETTINGS YIELD name, value WHERE name = 'server.directories.neo4j_home' RETURN value",
      {},
      { database: 'neo4j' },
    )
    const home: unknown = records[0]?.get('value')
    if (home !== folder) throw new Error(`another Neo4j answers at ${url}, of ${home}`)
  })
}

async function setFirstPassword(url: string, password: string): Promise<void> {
  await withDriver(url, 'neo4j', async (driver) => {
    await driver.executeQuery(
      "ALTER CURRENT USER SET PASSWORD FROM 'neo4j' TO $password",
      { password },
      { database: 'system' },
    )
  })
}

async function withDriver(
  url: string,
  password: string | undefined,
  use: (driver: ReturnType<typeof neo4j.driver>) => Promise<void>,
): Promise<void> {
  const auth = password === undefined ? undefined : neo4j.auth.basic('neo4j', password)
  const driver = neo4j.driver(url, auth, { connectionTimeout: 2_000, maxTransactionRetryTime: 0 })
  try {
    await use(driver)
  } finally {
    await driver.close()
  }
}
