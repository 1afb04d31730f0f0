/**
 * Imports have one direction: a door → an operation → a capability → the graph (docs/concepts.md, "Layers").
 * The list is closed: each layer names every layer that it may import, and a file outside the list fails the
 * check.
 */
export const folder = (...names) => `^src/(${names.join('|')})/`

const everyone = ['platform', 'rules', 'core']
export const capabilities = [
  'memory',
  'runs',
  'transcripts',
  'artifacts',
  'analysis',
  'maintenance',
  'events',
  'search',
]
export const doors = ['http', 'mcp', 'cli', 'web']
export const programs = ['langchain', 'autobuild', 'verify']

/**
 * Allowed imports of each layer, besides its own files. Pure types contain no code: any lower layer may
 * provide them.
 */
export const mayImport = {
  core: [],
  rules: ['core'],
  platform: ['rules', 'core'],
  graph: everyone,
  memory: ['graph', ...everyone],
  runs: ['memory', 'graph', ...everyone],
  transcripts: ['graph', ...everyone],
  artifacts: ['memory', 'graph', ...everyone],
  analysis: ['memory', 'graph', ...everyone],
  maintenance: ['memory', 'runs', 'transcripts', 'graph', ...everyone],
  events: ['memory', 'runs', 'graph', ...everyone],
  search: ['events', 'memory', 'graph', ...everyone],
  operations: [...capabilities, 'graph', ...everyone],
  client: ['operations', ...everyone],
  langchain: ['autobuild', 'client', 'operations', ...everyone],
  autobuild: ['verify', 'client', 'operations', ...everyone],
  // Runs commands of a specification. The service and its layers must not.
  verify: everyone,
  http: ['mcp', 'client', 'operations', ...everyone],
  mcp: ['client', 'operations', ...everyone],
  cli: ['http', 'mcp', 'verify', 'client', 'operations', ...everyone],
  web: [],
}

/**
 * Files of capabilities that do no I/O: doors and programs use them to render and judge the answers of
 * operations.
 */
export const pure = [
  'rules/[a-z-]+',
  'memory/record/(record|normalize|words|issues|derived-keys)',
  'memory/criteria/views',
  'memory/context/(render|budget|cut-start|continuation|rendering-from-context|section-names)',
  'memory/worlds/(world-errors|scope)',
  'runs/(record|decision|begin-run|resumption|lifecycle|views|executor|attempt-turn|lease-keeper)',
  'transcripts/pattern',
  'graph/model/[a-z-]+',
]
export const pureFiles = `^src/(${pure.join('|')})\\.ts$`

/**
 * The parts of a process that opens the graph itself: the service, a command without a service, a client on a
 * store.
 */
export const host = [
  'graph/(migrations|instance-lock)',
  'runs/(turn-runs|executors)',
  'events/(change-feed|written-changes)',
  'search/search',
]
/** The work that a command does itself, through a client: it reads and writes files of the user. */
export const commands = [
  'artifacts/(import|import-report|artifact-watch|folders|git-tree)',
  'artifacts/test-reports/verify-by-reports',
  'artifacts/specifications/(specify-files|report|format-names)',
  'transcripts/(import-files|graph-store|transcript-watch)',
  'maintenance/(export/export-lines|restore/restore-file)',
  'analysis/(graph-schema|named-analyses)',
]
export const beside = {
  http: [...host, 'graph/(observed|bookmarks)', 'analysis/query/queries'],
  client: [...host, 'graph/open', 'analysis/query/queries'],
  cli: [...host, 'graph/open', ...commands],
  autobuild: ['artifacts/git-tree'],
  // Runs in a browser: it imports types of records, the REST routes of operations, and small pure code.
  web: ['operations/routes', 'core/group-by'],
}

/**
 * Draws the closed list as a mermaid diagram, without `platform`, `rules` and `core`, which all layers
 * import.
 */
export function layersPicture() {
  const arrows = Object.entries(mayImport).flatMap(([layer, below]) =>
    below.filter((other) => !everyone.includes(other)).map((other) => `  ${layer} --> ${other}`),
  )
  return ['graph TD', ...arrows, '  graph_[graph] --> platform', '  platform --> rules', '  rules --> core']
    .join('\n')
    .replaceAll(/\bgraph$/gm, 'graph_')
}
