import { folder, levels, memoryFolders } from './scripts/layers.mjs'

const tests = '\\.test\\.ts$'
const operations = levels.findIndex((names) => names.includes('operations'))
const [above, below] = [levels.slice(0, operations).flat(), levels.slice(operations + 1).flat()]

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    ...levels.flatMap((names, i) =>
      names.map((layer) => ({
        name: `${layer}-imports-lower-layers`,
        severity: 'error',
        from: { path: folder(layer), pathNot: tests },
        to: {
          path: '^src/',
          pathNot: folder(layer, ...levels.slice(i + 1).flat()),
          dependencyTypesNot: ['type-only'],
        },
      })),
    ),
    ...memoryFolders.map((name, i) => ({
      name: `memory-${name}-imports-lower-folders`,
      severity: 'error',
      from: { path: `^src/memory/${name}/`, pathNot: tests },
      to: {
        path: '^src/memory/',
        pathNot: `^src/memory/(${memoryFolders.slice(i).join('|')})/`,
        dependencyTypesNot: ['type-only'],
      },
    })),
    {
      name: 'types-come-from-below',
      comment:
        'Types contain no code, so a layer may import types from each layer except the client, the doors and the programs.',
      severity: 'error',
      from: { path: folder(...below), pathNot: tests },
      to: { path: folder(...above) },
    },
    {
      name: 'every-file-has-a-layer',
      severity: 'error',
      from: { path: '^src/', pathNot: `${folder(...levels.flat())}|^src/index\\.c?ts$|${tests}` },
      to: {},
    },
    {
      name: 'rules-and-core-do-no-io',
      severity: 'error',
      from: { path: folder('rules', 'core'), pathNot: tests },
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
