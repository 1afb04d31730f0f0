/** Reads a `.feature` file: one criterion for each scenario, by the parser of Cucumber. Pure. */
import type { Dialect, GherkinClassicTokenMatcher, Parser } from '@cucumber/gherkin'
import { MAX_PATTERN_CHARACTERS } from '../../memory/specification/specification.ts'
import { type Stated, StatedList, type StatedWarning } from './stated.ts'

/** Maximum number of lines of tags, comments and blanks in a row: Cucumber's parser reads them in quadratic time. */
const MAX_TAG_LINES = 1_000
/** Maximum size of a file for Cucumber's parser, whose syntax tree has a node for each tag and each cell. */
const MAX_PARSED_CHARACTERS = 256 * 1024
/** Maximum number of examples that name an outline whose own name is only a placeholder. */
const MAX_EXAMPLES = 100

type Gherkin = typeof import('@cucumber/gherkin')
type Feature = NonNullable<ReturnType<Parser<never>['parse']>['feature']>
type Scenario = NonNullable<Feature['children'][number]['scenario']>
type Row = Scenario['examples'][number]['tableBody'][number]

/** A file that the parser refuses is read by the lines of its scenarios, with a warning. */
export async function readGherkin(source: string): Promise<Stated> {
  const list = new StatedList()
  const gherkin = await import('@cucumber/gherkin')
  const text = source.replace(/^\uFEFF/, '')
  const excess = findExcess(text)
  if (excess !== null) {
    list.warn(excess.line, `has more than ${excess.message}; the file is read by its scenario lines`)
    addScenarioLines(text, gherkin.dialects, list)
  } else parse(text, gherkin, list)
  return list.toStated({ featureId: null, taskId: null }, 'it has no scenario')
}

function findExcess(text: string): StatedWarning | null {
  if (text.length > MAX_PARSED_CHARACTERS)
    return { line: null, message: `${MAX_PARSED_CHARACTERS} characters` }
  let run = 0
  for (const [i, line] of text.split('\n').entries()) {
    const first = line.trimStart()[0]
    run = first === '@' || (run > 0 && (first === undefined || first === '#')) ? run + 1 : 0
    if (run > MAX_TAG_LINES)
      return { line: i + 1 - MAX_TAG_LINES, message: `${MAX_TAG_LINES} lines of tags in a row` }
  }
  return null
}

function parse(text: string, gherkin: Gherkin, list: StatedList): void {
  try {
    for (const { background, scenario } of readChildren(text, gherkin)) {
      if (scenario !== undefined) addScenario(scenario, list)
      if (background !== undefined)
        list.warn(background.location.line, 'the background is not part of the criteria')
    }
  } catch (error) {
    if (!(error instanceof gherkin.Errors.GherkinException)) throw error
    const { line = null } = error.location ?? {}
    list.warn(line, `the parser refuses the file: ${error.message}; it is read by its scenario lines`)
    addScenarioLines(text, gherkin.dialects, list)
  }
}

function readChildren(
  text: string,
  gherkin: Gherkin,
): Pick<Feature['children'][number], 'background' | 'scenario'>[] {
  const builder = new gherkin.AstBuilder(() => '')
  const matcher = readTagsOnce(refuseInheritedLanguages(new gherkin.GherkinClassicTokenMatcher(), gherkin))
  const parser = new gherkin.Parser(builder, matcher)
  parser.stopAtFirstError = true
  const { feature } = parser.parse(text)
  return (feature?.children ?? []).flatMap((child) =>
    child.rule === undefined ? [child] : child.rule.children,
  )
}

/** Makes a matcher refuse names like `constructor`: the parser finds them in its table of languages, as in each object. */
function refuseInheritedLanguages(
  matcher: GherkinClassicTokenMatcher,
  { dialects, Errors }: Gherkin,
): GherkinClassicTokenMatcher {
  const change = matcher.changeDialect.bind(matcher)
  matcher.changeDialect = (name, location) => {
    if (!Object.hasOwn(dialects, name)) throw Errors.NoSuchLanguageException.create(name, location)
    change(name, location)
  }
  return matcher
}

/** Type of the token of a line of tags. The package does not export its enumeration. */
const TAG_LINE = 4

/** Makes a matcher read the tags of each line only once. The parser requests them for each kind of line that may follow. */
function readTagsOnce(matcher: GherkinClassicTokenMatcher): GherkinClassicTokenMatcher {
  const match = matcher.match_TagLine.bind(matcher)
  matcher.match_TagLine = (token) => (token.matchedType as number) === TAG_LINE || match(token)
  return matcher
}

function addScenario(scenario: Scenario, list: StatedList): void {
  const { name, location, steps, examples } = scenario
  const parts = [
    ...steps.flatMap(({ keyword, text, docString, dataTable }) => [
      `${keyword.trim()} ${text}`,
      ...(docString === undefined ? [] : [docString.content]),
      ...writeRows(dataTable?.rows ?? []),
    ]),
    ...examples.flatMap(({ keyword, name: title, tableHeader, tableBody }) => [
      `${keyword}: ${title}`.trim(),
      ...writeRows(tableHeader === undefined ? [] : [tableHeader, ...tableBody]),
    ]),
  ]
  const text = [name === '' ? '' : `${name}:`, ...parts].join('\n')
  list.add({
    text: parts.length === 0 ? name : text,
    line: location.line,
    criterionId: null,
    tests: namesOfTests(scenario),
  })
}

const writeRows = (rows: readonly Row[]): string[] =>
  rows.map(({ cells }) => `| ${cells.map(({ value }) => value).join(' | ')} |`)

const PLACEHOLDER = /<[^<>]+>/g

/** A placeholder is any text. A name that has no other words is written with each of its examples. */
function namesOfTests({ name, examples }: Scenario): string[] {
  if (examples.length === 0) return name.trim() === '' ? [] : [name]
  if (name.length > MAX_PATTERN_CHARACTERS) return []
  const pattern = name.replace(PLACEHOLDER, '*')
  if (/[\p{L}\p{N}]/u.test(pattern)) return [pattern]
  const rows = examples.flatMap(({ tableHeader, tableBody }) =>
    tableBody.map(({ cells }) =>
      Object.fromEntries(cells.map(({ value }, i) => [`<${tableHeader?.cells[i]?.value}>`, value])),
    ),
  )
  const names = rows
    .slice(0, MAX_EXAMPLES)
    .map((values) => name.replace(PLACEHOLDER, (found) => values[found] ?? found))
  return [...new Set(names)].filter((each) => !/<[^<>]+>/.test(each) && each.trim() !== '')
}

function addScenarioLines(text: string, dialects: Readonly<Record<string, Dialect>>, list: StatedList): void {
  const language = /^[ \t]*#[ \t]*language[ \t]*:[ \t]*(\S+)/m.exec(text)?.[1] ?? 'en'
  const dialect = dialects[Object.hasOwn(dialects, language) ? language : 'en']
  const scenarios = new Set([...(dialect?.scenario ?? []), ...(dialect?.scenarioOutline ?? [])])
  const others = new Set([
    ...(dialect?.feature ?? []),
    ...(dialect?.rule ?? []),
    ...(dialect?.background ?? []),
  ])
  let open: { name: string; line: number; parts: string[] } | null = null
  const close = () => {
    if (open === null) return
    const { name, line, parts } = open
    const full = parts.length === 0 ? name : [`${name}:`, ...parts].join('\n')
    list.add({
      text: full,
      line,
      criterionId: null,
      tests: /<[^<>]+>/.test(name) || name === '' ? [] : [name],
    })
  }
  for (const [i, each] of text.split('\n').entries()) {
    const line = each.trim()
    const colon = line.indexOf(':')
    const keyword = colon < 0 ? '' : line.slice(0, colon)
    if (scenarios.has(keyword) || others.has(keyword)) {
      close()
      open = scenarios.has(keyword) ? { name: line.slice(colon + 1).trim(), line: i + 1, parts: [] } : null
    } else if (open !== null && line !== '' && !/^[#@]/.test(line)) open.parts.push(line)
  }
  close()
}
