// The way of the data is one-directional: edge → capability → graph (docs/concepts.md, "Layers").
const edges = '^src/(http|mcp|cli|langchain|web)/'
const capabilities = '^src/(turns|criteria|runs|transcripts|autobuild|analyses|queries|export|forget|doctor)/'

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'capabilities-know-no-edge',
      comment: 'A capability decides; who called it over what wire is none of its business.',
      severity: 'error',
      from: { path: `${capabilities}|^src/graph/` },
      to: { path: edges },
    },
    {
      name: 'graph-knows-no-capability',
      severity: 'error',
      from: { path: '^src/graph/' },
      to: { path: capabilities },
    },
    {
      name: 'pure-stays-pure',
      comment: 'Schemas, identity, state and rendering do no I/O: they can be tested and reused anywhere.',
      severity: 'error',
      from: {
        path: '^src/(turns|criteria|runs|transcripts|autobuild)/(record|lifecycle|answers|world-errors|identity|state|stall|signature|shown|render|budget|labels|text|continuation|digest|parts)\\.ts$',
        pathNot: '\\.test\\.ts$',
      },
      to: {
        path: '^src/graph/|^node:(fs|net|http|child_process)|^(fs|net|http|child_process)$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'one-file-knows-the-driver',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/graph/neo4j-driver\\.ts$|\\.test\\.ts$' },
      to: { path: 'node_modules/neo4j-driver' },
    },
    {
      name: 'one-file-knows-grafeo',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/graph/embedded\\.ts$|\\.test\\.ts$' },
      to: { path: '@grafeo-db' },
    },
    {
      name: 'src-imports-no-test',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(test|bench|tools)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
}
