// Loads the Cypher statements of cypher/, and rejects forms that an engine runs wrongly.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** A named Cypher statement of `cypher/<capability>/<name>.cypher`. */
export type Statement = { readonly name: string; readonly text: string; readonly params: readonly string[] }

export const CYPHER_ROOT = fileURLToPath(new URL('../../cypher/', import.meta.url))

/** Forms that an engine runs incorrectly or by a scan of the graph (figures: `docs/decisions/two-engines.md`). */
const REFUSED: readonly { form: RegExp; why: string }[] = [
  {
    form: /FOREACH\s*\([^)]*\|[^)]*\bDELETE\b/is,
    why: 'Grafeo 0.6: DELETE inside FOREACH deletes the node of that id',
  },
  {
    form: /CALL\s*\([^)]*\)\s*\{\s*OPTIONAL\s+MATCH/i,
    why: 'Grafeo scans for CALL { OPTIONAL MATCH }: 28 ms at 20k turns',
  },
  { form: /\bDELETE\s+null\b/i, why: 'Grafeo fails at DELETE null' },
  { form: /\bcollect\s*\([^()]*\)\s*\[/i, why: 'Grafeo fails at collect(x)[i]' },
  { form: /\bCOLLECT\s*\{/, why: 'Grafeo lacks COLLECT {} subqueries' },
  { form: /\bcollect\s*\(\s*DISTINCT\s+\w+\s*\{/i, why: 'over null, Grafeo gives one map of nulls' },
  { form: /duration\.between|datetime\.realtime|randomUUID\s*\(|\.epochMillis/i, why: 'Grafeo lacks it' },
  { form: /\b(rev|fence)\s*=\s*\w+\.(rev)\s*\+/i, why: 'rev + 1 deadlocks on Neo4j: 39 of 40 rounds' },
  { form: /REMOVE\s+\w+\.(rev|lock)\b/i, why: 'REMOVE takes no lock on Neo4j' },
  {
    form: /OPTIONAL\s+MATCH\s*\(\s*\w*\s*:\s*\w+\s*\{\s*key\s*:(?!\s*\$\w+\s*\})/i,
    why: 'Grafeo scans for OPTIONAL MATCH by anything but a bare parameter: 9 to 17 ms at 100k nodes',
  },
  {
    form: /MATCH\s*\(\s*(\w+)\s*:\s*\w+\s*\{\s*key\s*:[^}]*\}\s*\)\s*WHERE\b(?:(?!\b(?:MATCH|WITH|RETURN|CALL)\b).)*?\b\1\.\w+\s*=\s*\$/is,
    why: 'beside the key Grafeo scans all nodes for a second equal property: ask for it after a WITH',
  },
  {
    form: /OPTIONAL\s+MATCH\s*\([^)]*\)\s*OPTIONAL\s+MATCH\s*\(\s*\w+\s*\)\s*<?-/i,
    why: 'Grafeo scans all nodes for an OPTIONAL MATCH that starts at a node of another one: 2 to 22 ms at 1k to 10k turns',
  },
  {
    form: /\[\s*\[\s*\(\w*\)\s*<?-/,
    why: 'Grafeo gives a list of pattern comprehensions in any order: return each as a column',
  },
  { form: /SET\s+(\w+)\s*=\s*CASE\b/i, why: 'Grafeo: SET on an entity that came through CASE has no effect' },
]

const INCLUDE = /^\/\/ include (\S+)$/gm

function loadAll(root: string): Map<string, Statement> {
  const statements = new Map<string, Statement>()
  const files = readdirSync(root, { withFileTypes: true, recursive: true })
    .filter((file) => file.isFile() && file.name.endsWith('.cypher'))
    .map((file) => path.relative(root, path.join(file.parentPath, file.name)).split(path.sep).join('/'))
    .filter((file) => !file.startsWith('migrations/'))
    .sort()
  for (const file of files) {
    const name = file.slice(0, -'.cypher'.length)
    if (path.posix.basename(name).startsWith('_')) continue // a part of other statements
    for (const { choices, source } of chooseForms(withIncludes(root, name))) {
      const form = [name, ...choices].join(':')
      statements.set(form, parseStatement(form, source))
    }
  }
  return statements
}

type Form = { choices: string[]; source: string }

/**
 * Splits a file into its statements. Statements that differ in a few places share one file: the lines `//
 * when named-world`, `// when newest-world` and `// end` enclose the different parts. The file gives one
 * statement per choice, `turns/why:named-world` and `turns/why:newest-world`. A choice made above also
 * applies below, and one text may serve several choices.
 */
export function chooseForms(source: string, made: readonly string[] = []): Form[] {
  const place = PLACE.exec(source)
  if (place === null) return [{ choices: [], source }]
  const [whole, inside = ''] = place
  const [, ...parts] = inside.split(/^\/\/ when (.+)\n/m)
  const texts = parts.flatMap((names, i) =>
    i % 2 === 1 ? [] : names.split(' ').map((name) => ({ name, text: parts[i + 1] ?? '' })),
  )
  const before = texts.find(({ name }) => made.includes(name))
  const fill = (text: string, now: readonly string[]) =>
    chooseForms(source.slice(0, place.index) + text + source.slice(place.index + whole.length), now)
  if (before !== undefined) return fill(before.text, made)
  return texts.flatMap(({ name, text }) =>
    fill(text, [...made, name]).map((form) => ({ ...form, choices: [name, ...form.choices] })),
  )
}

const PLACE = /^(\/\/ when [\s\S]*?)^\/\/ end$\n?/m

/** Replaces each line `// include turns/_parts` by that file, which holds parts that several statements share. */
function withIncludes(root: string, name: string): string {
  const source = readFileSync(path.join(root, `${name}.cypher`), 'utf8')
  return source.replace(INCLUDE, (_line, part: string) => withIncludes(root, part))
}

/** Checks the text of a statement: every parameter is declared and used, and it has no rejected form. */
export function parseStatement(name: string, source: string): Statement {
  const declared = [...source.matchAll(/^\/\/ params:(.*)$/gm)].flatMap(
    (m) => (m[1] ?? '').match(/\$\w+/g) ?? [],
  )
  const text = source
    .replace(/^\s*\/\/.*$\n?/gm, '')
    .replace(/\s\/\/ .*$/gm, '')
    .trim()
  const used = new Set(text.match(/\$\w+/g) ?? [])
  const undeclared = [...used].filter((param) => !declared.includes(param))
  const unused = declared.filter((param) => !used.has(param))
  if (undeclared.length > 0)
    throw new Error(`cypher/${name}.cypher does not declare ${undeclared.join(', ')}`)
  if (unused.length > 0) throw new Error(`cypher/${name}.cypher declares ${unused.join(', ')} in vain`)
  for (const { form, why } of REFUSED) {
    const found = text.match(form)
    if (found) throw new Error(`cypher/${name}.cypher: "${found[0].replace(/\s+/g, ' ')}" is refused: ${why}`)
  }
  return { name, text, params: [...used].map((param) => param.slice(1)).sort() }
}

/**
 * Loads the checked statements from the file of the build; null if there is no build. Reading and checking two
 * hundred files took a tenth of the start time of each command. The build writes the file from `allStatements`
 * (scripts/setup.mjs).
 */
function loadBuilt(): Map<string, Statement> | null {
  const file = fileURLToPath(new URL('../graph/statements.json', import.meta.url))
  if (!existsSync(file)) return null
  const built = JSON.parse(readFileSync(file, 'utf8')) as Statement[]
  return new Map(built.map((each) => [each.name, each]))
}

const statements = loadBuilt() ?? loadAll(CYPHER_ROOT)
const usedNames = new Set<string>()

/** Returns a statement in one of its forms. Modules call this when they load, so that a missing file fails at the start. */
export function statement(file: string, ...choices: readonly string[]): Statement {
  const name = [file, ...choices].join(':')
  const found = statements.get(name)
  if (found === undefined) throw new Error(`there is no ${[`cypher/${file}.cypher`, ...choices].join(' ')}`)
  usedNames.add(name)
  return found
}

export const statementNames = (folder: string): string[] =>
  [...statements.keys()].flatMap((name) =>
    path.posix.dirname(name) === folder ? [path.posix.basename(name)] : [],
  )

const sources = new Map<string, string>()

/** Creates a statement that is generated from the model, with the same checks as a file. */
export function generated(name: string, source: string): Statement {
  const before = statements.get(name)
  if (before !== undefined && sources.get(name) === source) return before
  if (before !== undefined) throw new Error(`there are two statements ${name}`)
  const made = parseStatement(name, source)
  sources.set(name, source)
  statements.set(name, made)
  usedNames.add(name)
  return made
}

export function readHeadComment({ name }: Statement): string[] {
  const source = readFileSync(path.join(CYPHER_ROOT, `${name.split(':', 1)[0]}.cypher`), 'utf8')
  const [head = ''] = /^(?:\/\/.*\n)+/.exec(source) ?? []
  return head
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^\/\/ ?/, ''))
}

export const allStatements = (): readonly Statement[] => [...statements.values()]

/** Returns the files that no loaded module uses: a test imports all modules and expects none. */
export const unusedStatements = (): readonly string[] =>
  [...statements.keys()].filter((name) => !usedNames.has(name))
