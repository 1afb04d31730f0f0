// Renders the configuration of a server.
export interface ServerConfiguration {
  readonly folder: string
  readonly port: number
  readonly auth: boolean
  /** Lines to set, by name; the empty string removes a line, so that Neo4j's own default applies. */
  readonly settings: Readonly<Record<string, string>>
}

/** Renders `neo4j.conf`: bolt on the loopback only, small memory, short timeouts, no usage reports. */
export function renderConfiguration({ folder, port, auth, settings }: ServerConfiguration): string {
  const lines: Record<string, string> = {
    'server.directories.data': `${folder}/data`,
    'server.directories.logs': `${folder}/logs`,
    'server.directories.run': `${folder}/run`,
    'server.directories.plugins': `${folder}/plugins`,
    'server.directories.import': `${folder}/import`,
    'server.directories.transaction.logs.root': `${folder}/transactions`,
    'server.bolt.listen_address': `127.0.0.1:${port}`,
    'server.bolt.advertised_address': `127.0.0.1:${port}`,
    'server.http.enabled': 'false',
    'server.https.enabled': 'false',
    'dbms.security.auth_enabled': String(auth),
    'server.memory.pagecache.size': '64m',
    // Without this limit, a query that collects too much makes all others wait for the garbage collector.
    'db.memory.transaction.max': '128m',
    // Without this setting, each folder takes 512 MB at once: 256 MB for the log of each of the two
    // databases.
    'db.tx_log.preallocate': 'false',
    'dbms.usage_report.enabled': 'false',
    'db.lock.acquisition.timeout': '5s',
    'db.transaction.timeout': '30s',
    ...settings,
  }
  return Object.entries(lines)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}
