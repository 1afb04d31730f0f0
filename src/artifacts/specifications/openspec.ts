/** Reads `spec.md` of OpenSpec, and the changes to it: one criterion for each scenario. Pure. */
import { readPart } from '../markdown-lines.ts'
import { listParts, quoteTitle, readDocument, type Section, warnOfUnread } from './sections.ts'
import { type ReadOptions, type Stated, StatedList } from './stated.ts'

export type OpenSpecPlace = {
  /** Path of the folder that contains `specs` and `changes`. */
  root: string
  capability: string
  /** Name of the change; null for the specification itself. */
  change: string | null
  isArchived: boolean
}

const PLACE = /^(.*?)(?:(?<=^|\/)changes\/(archive\/)?([^/]+)\/)?(?<=^|\/)specs\/(.+)\/spec\.md$/

export function placeOf(path: string): OpenSpecPlace | null {
  const [, root, archive, change, capability] = PLACE.exec(path) ?? []
  if (root === undefined || capability === undefined) return null
  return { root, capability, change: change ?? null, isArchived: archive !== undefined }
}

/** The archived changes led to the specification, and the other ones change it. */
export const orderOfPlace = ({ change, isArchived }: OpenSpecPlace): string =>
  `${isArchived ? 0 : change === null ? 1 : 2} ${change ?? ''}`

type Scenario = { text: string; line: number | null }
type Requirements = ReadonlyMap<string, readonly Scenario[]>
type Requirement = { line: number; operation: string | null; scenarios: Scenario[] }
type Parsed = {
  stated: Map<string, Requirement>
  /** Lines of the names that a change removes. */
  removed: Map<string, number>
  /** By the old name. */
  renamed: Map<string, { to: string; line: number }>
  isChange: boolean
}

/** Reads a specification, or a change: its criteria are those of the earlier files with the change. */
export function readOpenSpec(source: string, { path, earlier = [] }: ReadOptions): Stated {
  const { taskId, featureId, sections } = readDocument(source)
  const list = new StatedList()
  let before: Requirements | null = null
  for (const text of earlier) {
    const { sections } = readPart('builds on a file that', () => readDocument(text))
    before = withoutLines(change(before, parse(sections, new StatedList()), new StatedList()))
  }
  const parsed = parse(sections, list)
  if (parsed.isChange && before === null)
    list.warn(null, 'the specification is not there; only the scenarios of the change are read')
  for (const scenarios of change(before, parsed, list).values())
    for (const scenario of scenarios) list.add({ ...scenario, criterionId: null })
  const isKnown = ({ title }: Section) => REQUIREMENT.test(title) || SCENARIO.test(title)
  warnOfUnread(sections, (section) => [section, ...section.parents].some(isKnown), list)
  const name = placeOf(path)?.capability ?? null
  const names = { featureId: featureId ?? name, taskId: taskId ?? name }
  return list.toStated(names, 'it has no "Scenario:" of a "Requirement:"')
}

const withoutLines = (requirements: Requirements): Requirements =>
  new Map(
    [...requirements].map(([name, scenarios]) => [name, scenarios.map(({ text }) => ({ text, line: null }))]),
  )

/** Applies a change in the order of OpenSpec: renamed, removed, modified and added. A specification replaces all. */
function change(before: Requirements | null, parsed: Parsed, list: StatedList): Requirements {
  const { stated, removed, renamed, isChange } = parsed
  const known = isChange ? before : null
  const warnOfUnknown = (name: string, line: number) =>
    list.warn(line, `the specification has no requirement ${JSON.stringify(name)}`)
  for (const [name, { line }] of renamed) if (known?.has(name) === false) warnOfUnknown(name, line)
  const after = new Map<string, readonly Scenario[]>()
  for (const [name, scenarios] of known ?? []) after.set(renamed.get(name)?.to ?? name, scenarios)
  for (const [name, line] of removed) if (!after.delete(name) && known !== null) warnOfUnknown(name, line)
  for (const [name, { line, operation, scenarios }] of stated) {
    if (operation === 'MODIFIED' && known !== null && !after.has(name)) warnOfUnknown(name, line)
    after.set(name, scenarios)
  }
  return after
}

const OPERATION = /^(ADDED|MODIFIED|REMOVED|RENAMED)\s+Requirements?\b/i
const REQUIREMENT = /^Requirement\s*[:：]\s*(\S.*)$/i
const SCENARIO = /^Scenario\s*[:：]\s*(\S.*)$/i

function parse(sections: readonly Section[], list: StatedList): Parsed {
  const parsed: Parsed = { stated: new Map(), removed: new Map(), renamed: new Map(), isChange: false }
  let operation: string | null = null
  let requirement: Requirement | null = null
  let scenario: { section: Section; scenario: Scenario } | null = null
  for (const section of sections) {
    const { title, line, level } = section
    const name = REQUIREMENT.exec(title)?.[1]?.trim()
    const scenarioName = SCENARIO.exec(title)?.[1]
    if (scenario !== null && section.parents.includes(scenario.section)) {
      scenario.scenario.text += `\n${stepsOf(section, title)}`
      continue
    }
    scenario = null
    if (OPERATION.test(title) || (level > 0 && level <= 2)) {
      operation = OPERATION.exec(title)?.[1]?.toUpperCase() ?? null
      parsed.isChange ||= operation !== null
      requirement = null
    }
    if (name !== undefined && operation === 'REMOVED') parsed.removed.set(name, line)
    else if (name !== undefined) {
      requirement = parsed.stated.get(name) ?? { line, operation, scenarios: [] }
      parsed.stated.set(name, requirement)
    } else if (scenarioName !== undefined && operation !== 'REMOVED') {
      if (requirement === null) {
        list.warn(line, `${quoteTitle(section)} is not read: it is below no requirement`)
        continue
      }
      const found: Scenario = { text: `${scenarioName}:\n${stepsOf(section)}`, line }
      requirement.scenarios.push(found)
      scenario = { section, scenario: found }
    }
    if (operation === 'REMOVED')
      for (const [old, at] of namesInItems(section, /^/)) parsed.removed.set(old, at)
    if (operation === 'RENAMED') readRenamed(section, parsed)
  }
  for (const [name, { line, scenarios }] of parsed.stated)
    if (scenarios.length === 0)
      list.warn(line, `the requirement ${JSON.stringify(name)} has no scenario; it is not read`)
  return parsed
}

/** The items and paragraphs of a scenario in their order, with its keywords without marks. */
function stepsOf(section: Section, title = ''): string {
  const ordered = listParts(section)
    .sort((a, b) => a.line - b.line)
    .map(({ text }) => text)
  return [title, ...ordered].join('\n').replace(KEYWORD, '$1')
}

const KEYWORD = /(?:\*\*|__)(GIVEN|WHEN|THEN|AND|BUT|OR)[:：]?(?:\*\*|__)[:：]?/gi

const NAMED = /(?:#{1,6}\s*)?Requirement\s*[:：]\s*([^`\n]+)/i

/** The requirements that the lines of a list name, of the lines that begin with a word. */
function namesInItems(section: Section, begins: RegExp): [name: string, line: number][] {
  return listParts(section, true).flatMap(({ text, line }) =>
    text.split('\n').flatMap((each): [string, number][] => {
      const name = begins.test(each) ? NAMED.exec(each)?.[1]?.trim() : undefined
      return name === undefined ? [] : [[name, line]]
    }),
  )
}

function readRenamed(section: Section, { renamed }: Parsed): void {
  const [from, to] = [/\bFROM\b/i, /\bTO\b/i].map((word) => namesInItems(section, word))
  for (const [i, [name, line]] of (from ?? []).entries()) {
    const target = to?.[i]?.[0]
    if (target !== undefined) renamed.set(name, { to: target, line })
  }
}
