/** Reads a `.feature` file: one criterion for each scenario, by the parser of Cucumber. Pure. */
import type { Dialect } from '@cucumber/gherkin'
import { MAX_PATTERN_CHARACTERS } from '../../memory/specification/specification.ts'
import { readScenarios, type Scenario } from './gherkin-scenarios.ts'
import { type Stated, StatedList, type StatedWarning, toStated } from './stated.ts'

/** Maximum number of lines of tags, comments and blanks in a row: Cucumber's parser reads them in quadratic time. */
const MAX_TAG_LINES = 1_000
/** Maximum length of a table row. An item with a longer row exceeds the limit of an item anyway. */
const MAX_ROW_CHARACTERS = 64 * 1024
/** Maximum number of lines for Cucumber's parser, which takes as long for a blank line as for a step. */
const MAX_PARSED_LINES = 200_000
/** A file that the parser refuses is read by the lines of its scenarios, with a warning. */
export async function readGherkin(source: string): Promise<Stated> {
  const warnings: StatedWarning[] = []
  const list = new StatedList(warnings)
  const gherkin = await import('@cucumber/gherkin')
  const text = source.replace(/^\uFEFF/, '')
  const excess = findExcess(text.split('\n'))
  if (excess !== null) {
    const message = `has more than ${excess.message}; the file is read by its scenario lines`
    warnings.push({ ...excess, message })
    addScenarioLines(text, gherkin.dialects, list)
  } else parse(text, gherkin, list, warnings)
  return toStated(list, { featureId: null, taskId: null }, warnings, 'it has no scenario')
}

/** Returns the reason why a file is too slow for Cucumber's parser; null if it is not too slow. */
function findExcess(lines: readonly string[]): StatedWarning | null {
  let run = 0
  for (const [i, line] of lines.entries()) {
    const first = line.trimStart()[0]
    run = first === '@' || (run > 0 && (first === undefined || first === '#')) ? run + 1 : 0
    if (first === '|' && line.length > MAX_ROW_CHARACTERS)
      return { line: i + 1, message: `${MAX_ROW_CHARACTERS} characters in a row of a table` }
    if (run > MAX_TAG_LINES)
      return { line: i + 1 - MAX_TAG_LINES, message: `${MAX_TAG_LINES} lines of tags in a row` }
  }
  return lines.length > MAX_PARSED_LINES ? { line: null, message: `${MAX_PARSED_LINES} lines` } : null
}

function parse(
  text: string,
  gherkin: typeof import('@cucumber/gherkin'),
  list: StatedList,
  warnings: StatedWarning[],
): void {
  try {
    for (const { line, scenario } of readScenarios(text, gherkin))
      if (scenario === null) warnings.push({ line, message: 'the background is not part of the criteria' })
      else addScenario(scenario, line, list)
  } catch (error) {
    if (!(error instanceof gherkin.Errors.GherkinException)) throw error
    const { line = null } = error.location ?? {}
    warnings.push({
      line,
      message: `the parser refuses the file: ${error.message}; it is read by its scenario lines`,
    })
    addScenarioLines(text, gherkin.dialects, list)
  }
}

function addScenario(scenario: Scenario, line: number, list: StatedList): void {
  const { name, parts } = scenario
  const text = [name === '' ? '' : `${name}:`, ...parts].join('\n')
  list.add({
    text: parts.length === 0 ? name : text,
    line,
    criterionId: null,
    tests: namesOfTests(scenario),
  })
}

const PLACEHOLDER = /<[^<>]+>/g

/** A placeholder is any text. A name that has no other words is written with each of its examples. */
function namesOfTests({ name, isOutline, examples }: Scenario): string[] {
  if (!isOutline) return name.trim() === '' ? [] : [name]
  if (name.length > MAX_PATTERN_CHARACTERS) return []
  const pattern = name.replace(PLACEHOLDER, '*')
  if (/[\p{L}\p{N}]/u.test(pattern)) return [pattern]
  const names = new Set<string>()
  for (const { header, cells } of examples) {
    const values = new Map(cells.map((value, i) => [`<${header[i]}>`, value]))
    names.add(name.replace(PLACEHOLDER, (found) => values.get(found) ?? found))
  }
  return [...names].filter((each) => !/<[^<>]+>/.test(each) && each.trim() !== '')
}

function addScenarioLines(text: string, dialects: Readonly<Record<string, Dialect>>, list: StatedList): void {
  const language = /^[ \t]*#[ \t]*language[ \t]*:[ \t]*(\S+)/m.exec(text)?.[1] ?? 'en'
  const dialect = dialects[language] ?? dialects.en
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
