import { expect, test } from 'vitest'
import { allStatements, type Statement } from './statements.ts'

/**
 * A deployment grows beyond one store by giving groups of projects separate stores
 * (docs/operations.md, "The size of one store"). This works only if no statement joins two projects. These tests
 * check the text of each statement: each pattern must start at a node that is looked up by a key, which begins
 * with its project, or by the project itself. Relationships join nodes of one project
 * (test/contract/isolation.ts checks those of a whole graph).
 */

/** Statements that read all projects and return keys, which the service sorts by project. */
const OF_ALL_PROJECTS: Readonly<Record<string, string>> = {
  'events/changes': 'what changed, for the one feed of a service; each reader receives only its own project',
  'graph/neighbors': 'for analysts of the whole graph, by the id that the engine itself gave a node',
  'runs/leased': 'whose leases have run out: each world is then changed by its key',
  'worlds/before-new': "by the id of a task, and answers keys of the caller's project alone",
  'graph/load': 'loads nodes into the memory of the embedded graph, and answers none of them',
  'graph/migration-record': 'the schema is that of the store',
  'graph/migrations': 'the schema is that of the store',
}

const NODE = String.raw`\(\s*\w*\s*(?::\s*\w+)?\s*(?:\{[^{}]*\})?\s*\)`
const RELATIONSHIP = String.raw`\s*<?-(?:\[[^\]]*\])?->?\s*`
const PATH = new RegExp(String.raw`(?<![\w.])${NODE}(?:${RELATIONSHIP}${NODE})*`, 'g')
const EACH_NODE = /\(\s*(\w*)\s*(:\s*\w+)?\s*(\{[^{}]*\})?\s*\)/g

/** Properties that are the project, or a key that begins with it. */
const OF_PROJECT = '(?:\\w*[kK]ey|project)'
const LOOKED_UP = new RegExp(String.raw`\{[^{}]*\b${OF_PROJECT}\s*:`)

/**
 * Returns the patterns of a statement without a link to a looked-up node: they would find nodes of any
 * project.
 */
function patternsOfAnyProject({ text }: Pick<Statement, 'text'>): string[] {
  const code = text.replace(/'[^']*'/g, "''")
  const bound = new Set([...code.matchAll(/\bAS\s+(\w+)/gi)].map(([, name]) => name ?? ''))
  for (const [, name = ''] of code.matchAll(/\bIN\s+\w+\s*\||\b(\w+)\s+IN\s+/g)) bound.add(name)
  const unreached: string[] = []
  for (const [path] of code.matchAll(PATH)) {
    const nodes = [...path.matchAll(EACH_NODE)].map(([, name = '', label = '', properties = '']) => ({
      name,
      label,
      properties,
    }))
    // Parentheses around an expression.
    if (nodes.every(({ label, properties }) => label === '' && properties === '') && nodes.length === 1)
      continue
    const isReached = nodes.some(
      ({ name, properties }) =>
        LOOKED_UP.test(properties) || (name !== '' && (bound.has(name) || isRestricted(code, name))),
    )
    if (isReached) for (const { name } of nodes) bound.add(name)
    else unreached.push(path)
  }
  return unreached
}

/**
 * True for one key, several keys, or a range with both ends. A range with a single end reaches other
 * projects.
 */
const isRestricted = (code: string, name: string): boolean => {
  const compares = (operator: string) =>
    new RegExp(String.raw`\b${name}\.${OF_PROJECT}\s*(?:${operator})`).test(code)
  return compares(String.raw`=|IN\b|STARTS\b`) || (compares('>') && compares('<(?!>)'))
}

test('a pattern without a link to a key is found', () => {
  const found = patternsOfAnyProject({
    text: "MATCH (w:World {key: $key})-[:HAS_TURN]->(t:Turn) MATCH (t)-[:RECORDED]->(v) MATCH (x:World {slug: 'a'}) RETURN x",
  })
  expect(found).toEqual(["(x:World {slug: ''})"])
})

test('no statement of cypher/ reaches nodes of a project that is not in its parameters', () => {
  const crossing = allStatements().flatMap((statement) => {
    const [file = ''] = statement.name.split(':')
    if (file in OF_ALL_PROJECTS) return []
    return patternsOfAnyProject(statement).map((pattern) => `${statement.name}: ${pattern}`)
  })
  expect(crossing).toEqual([])
})

test('each statement in the list of all projects reads all projects', () => {
  const does = (file: string) =>
    allStatements().some(
      ({ name, text }) => name.split(':')[0] === file && patternsOfAnyProject({ text }).length > 0,
    )
  expect(Object.keys(OF_ALL_PROJECTS).filter((file) => !does(file))).toEqual([])
})
