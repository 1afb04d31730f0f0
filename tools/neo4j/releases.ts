// Declares the releases of Neo4j that Turngraph is tested with.
export type Neo4jVersion = 'lts' | 'current'

export interface Release {
  /** The version on Maven Central. */
  readonly number: string
  /** The Java majors that Neo4j documents for this release. (5.26 was seen to start on 25, too.) */
  readonly java: readonly number[]
  readonly mainClass: string
  readonly jvmFlags: readonly string[]
  /** Lines of neo4j.conf whose names differ between the releases. */
  readonly settings: Readonly<Record<string, string>>
}

// The quiet period: Bolt's two connectors each wait 5 s before they close, even with no client left. An orderly
// stop takes 10.5 s with it, and 0.6 s without.
export const releases: Readonly<Record<Neo4jVersion, Release>> = {
  lts: {
    number: '5.26.29',
    java: [17, 21],
    mainClass: 'org.neo4j.server.CommunityEntryPoint',
    jvmFlags: [],
    settings: { 'internal.dbms.bolt.netty_server_shutdown_quiet_period': '0' },
  },
  current: {
    number: '2026.05.0',
    java: [21, 25],
    mainClass: 'org.neo4j.server.Neo4jCommunity',
    jvmFlags: ['--enable-native-access=ALL-UNNAMED', '--add-modules=jdk.incubator.vector'],
    settings: { 'internal.dbms.bolt.netty_server_shutdown_quiet_period_duration': '0s' },
  },
}
