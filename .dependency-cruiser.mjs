import {
  beside,
  capabilities,
  doors,
  folder,
  mayImport,
  programs,
  pure,
  pureFiles,
} from './scripts/layers.mjs'

const allowed = (layer) => {
  const named = [
    ...(beside[layer] ?? []),
    ...(['http', 'mcp', 'cli', 'web', 'client', 'langchain', 'autobuild', 'verify'].includes(layer)
      ? pure
      : []),
  ]
  const layers = `${folder(layer, ...mayImport[layer])}`
  return named.length === 0 ? layers : `${layers}|^src/(${named.join('|')})\\.ts$`
}

const layers = Object.keys(mayImport)
const tests = '\\.test\\.ts$'

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    ...layers.map((layer) => ({
      name: `${layer}-imports-its-list`,
      comment:
        'The list of this file is closed. Types alone carry no code: they may come from any layer below.',
      severity: 'error',
      from: { path: folder(layer), pathNot: tests },
      to: { path: '^src/', pathNot: allowed(layer), dependencyTypesNot: ['type-only'] },
    })),
    {
      name: 'types-come-from-below',
      severity: 'error',
      from: { path: folder('core', 'platform', 'graph', ...capabilities), pathNot: tests },
      to: { path: folder(...doors, ...programs) },
    },
    {
      name: 'every-file-has-a-layer',
      severity: 'error',
      from: { path: '^src/', pathNot: `${folder(...layers)}|^src/index\\.c?ts$|${tests}` },
      to: {},
    },
    {
      name: 'pure-stays-pure',
      comment: 'Schemas, identity, state and rendering do no I/O: they can be tested and reused anywhere.',
      severity: 'error',
      from: { path: pureFiles },
      to: {
        path: '^src/(graph|http|cli|mcp)/|^node:(fs|net|http|child_process)|^(fs|net|http|child_process)$',
        pathNot: '^src/graph/(model/[a-z-]+|columns)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'core-does-no-io',
      severity: 'error',
      from: { path: folder('core'), pathNot: tests },
      to: { path: '^(node:)?(fs|net|http|https|child_process)(/promises)?$' },
    },
    {
      name: 'one-file-knows-the-driver',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/graph/neo4j-driver\\.ts$|${tests}` },
      to: { path: 'node_modules/neo4j-driver' },
    },
    {
      name: 'one-file-knows-grafeo',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/graph/embedded\\.ts$|${tests}` },
      to: { path: '@grafeo-db' },
    },
    {
      name: 'src-imports-no-test',
      severity: 'error',
      from: { path: '^src/', pathNot: tests },
      to: { path: '^(test|bench|tools)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
}
