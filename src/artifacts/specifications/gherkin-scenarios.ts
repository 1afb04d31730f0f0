/**
 * Collects the scenarios of a feature from the tokens of Cucumber's parser, without its syntax tree. The tree has a node for each
 * tag, row and cell: a million nodes for a hostile file of 1 MiB. Pure.
 */
import type { AstBuilder, GherkinClassicTokenMatcher } from '@cucumber/gherkin'

export type Scenario = {
  name: string
  /** Steps, tables and examples, as lines of text. */
  parts: string[]
  /** True if the scenario has examples. */
  isOutline: boolean
  /** The first {@link MAX_EXAMPLES} examples of all tables. */
  examples: { header: readonly string[]; cells: readonly string[] }[]
}

/** A scenario, or null for a background. */
export type FoundScenario = { line: number; scenario: Scenario | null }

/** Maximum number of examples that name an outline whose own name is only a placeholder. */
const MAX_EXAMPLES = 100

type Gherkin = typeof import('@cucumber/gherkin')
type Token = Parameters<AstBuilder['build']>[0]

/** Types of tokens. The package does not export its enumeration. */
const TYPES = { tag: 4, background: 7, scenario: 8, examples: 9, step: 10, docString: 11, row: 12, other: 14 }

/**
 * Returns the scenarios and backgrounds in the order of the file.
 *
 * @throws `GherkinException` for a text that is not Gherkin
 */
export function readScenarios(text: string, gherkin: Gherkin): FoundScenario[] {
  const collector = new Collector(gherkin)
  const parser = new gherkin.Parser(
    collector as unknown as ConstructorParameters<Gherkin['Parser']>[0],
    readTagsOnce(new gherkin.GherkinClassicTokenMatcher()),
  )
  parser.stopAtFirstError = true
  parser.parse(text)
  return collector.found
}

/** Makes a matcher read the tags of each line only once. The parser requests them for each kind of line that may follow. */
function readTagsOnce(matcher: GherkinClassicTokenMatcher): GherkinClassicTokenMatcher {
  const match = matcher.match_TagLine.bind(matcher)
  matcher.match_TagLine = (token) => (token.matchedType as number) === TYPES.tag || match(token)
  return matcher
}

/** Receives the tokens of a file. Implements the methods of a builder that the parser calls. */
class Collector {
  found: FoundScenario[] = []
  readonly #gherkin: Gherkin
  #open: Scenario | null = null
  /** First row of the open table. */
  #header: readonly string[] | null = null
  #isOfExamples = false
  /** Number of parts up to the line of the open step. */
  #stepEnd = 0
  #docString: string[] | null = null

  constructor(gherkin: Gherkin) {
    this.#gherkin = gherkin
  }

  reset(): void {
    this.found = []
  }

  startRule(): void {}
  endRule(): void {}
  getResult(): void {}

  build(token: Token): void {
    const type = token.matchedType as number
    if (type === TYPES.row) this.#addRow(token)
    else if (type === TYPES.other) this.#docString?.push(token.matchedText ?? '')
    else if (type === TYPES.docString) this.#readDocStringMark()
    else if (type === TYPES.step) this.#startStep(token)
    else if (type === TYPES.examples) this.#startExamples(token)
    else if (type === TYPES.scenario || type === TYPES.background) this.#start(token, type)
  }

  #start({ matchedText, location }: Token, type: number): void {
    const scenario = { name: matchedText ?? '', parts: [], isOutline: false, examples: [] }
    this.#open = type === TYPES.scenario ? scenario : null
    this.found.push({ line: location.line, scenario: this.#open })
  }

  #startStep({ matchedKeyword, matchedText }: Token): void {
    this.#header = null
    this.#isOfExamples = false
    this.#open?.parts.push(`${matchedKeyword.trim()} ${matchedText}`)
    this.#stepEnd = this.#open?.parts.length ?? 0
  }

  #startExamples({ matchedKeyword, matchedText }: Token): void {
    this.#header = null
    this.#isOfExamples = true
    if (this.#open === null) return
    this.#open.isOutline = true
    this.#open.parts.push(`${matchedKeyword}: ${matchedText}`.trim())
  }

  /** Handles a mark of a doc string. The second mark ends the text and adds it before the table rows of its step. */
  #readDocStringMark(): void {
    if (this.#docString === null) this.#docString = []
    else {
      this.#open?.parts.splice(this.#stepEnd, 0, this.#docString.join('\n'))
      this.#docString = null
    }
  }

  #addRow({ matchedItems, location }: Token): void {
    const cells = matchedItems.map(({ text }) => text)
    const isHeader = this.#header === null
    const header = this.#header ?? cells
    this.#header = header
    if (cells.length !== header.length)
      throw this.#gherkin.Errors.AstBuilderException.create(
        'inconsistent cell count within the table',
        location,
      )
    if (this.#open === null) return
    this.#open.parts.push(`| ${cells.join(' | ')} |`)
    if (this.#isOfExamples && !isHeader && this.#open.examples.length < MAX_EXAMPLES)
      this.#open.examples.push({ header, cells })
  }
}
