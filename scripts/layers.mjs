/**
 * The data goes one way: a door → an operation → a capability → the graph (docs/concepts.md, "Layers"). The list is
 * closed: each layer names all that it may import, and a file outside the list fails the check.
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
]
export const doors = ['http', 'mcp', 'cli', 'web']
export const programs = ['langchain', 'autobuild']

/** What the files of a layer may import beside each other. Types alone carry no code: they may come from any layer below. */
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
  operations: [...capabilities, 'graph', ...everyone],
  client: ['operations', ...everyone],
  langchain: ['autobuild', 'client', 'operations', ...everyone],
  autobuild: ['client', 'operations', ...everyone],
  http: ['mcp', 'client', 'operations', ...everyone],
  mcp: ['client', 'operations', ...everyone],
  cli: ['http', 'mcp', 'client', 'operations', ...everyone],
  web: [],
}

/** Files of capabilities that do no I/O: doors and programs render and judge with them what an operation answered. */
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

/** What a process that opens the graph itself is made of: the service, a command without one, a client on a store. */
export const host = [
  'graph/(migrations|instance-lock)',
  'runs/(turn-runs|executors)',
  'events/(change-feed|written-changes)',
]
/** What a command does itself, through a client: it reads and writes files of the user. */
export const commands = [
  'artifacts/(import|import-report|task-file|artifact-watch|folders)',
  'transcripts/(import-files|graph-store|transcript-watch)',
  'maintenance/(export/export-lines|restore/restore-file)',
  'analysis/(graph-schema|named-analyses)',
]
export const beside = {
  http: [...host, 'graph/(observed|bookmarks)', 'analysis/query/queries'],
  client: [...host, 'graph/open', 'analysis/query/queries'],
  cli: [...host, 'graph/open', ...commands],
  // It runs in a browser: types of the records, where the operations stand in REST, and what is as small as it is pure.
  web: ['operations/routes', 'core/group-by'],
}

/** A mermaid picture of the closed list; what stands on `platform` and `core`, which all do, is not drawn. */
export function layersPicture() {
  const arrows = Object.entries(mayImport).flatMap(([layer, below]) =>
    below.filter((other) => !everyone.includes(other)).map((other) => `  ${layer} --> ${other}`),
  )
  return ['graph TD', ...arrows, '  graph_[graph] --> platform', '  platform --> rules', '  rules --> core']
    .join('\n')
    .replaceAll(/\bgraph$/gm, 'graph_')
}
