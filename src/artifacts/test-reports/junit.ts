/// <reference path="./sax.d.ts" />
/** Reads a JUnit report of vitest, pytest, Maven, Gradle, jest-junit or gotestsum, with the five entities of XML. Pure. */
import type { Parser, Tag } from 'sax'
import type { ReportedTest, TestStatus } from '../../rules/map-tests.ts'
import { BrokenReport, joinName, MAX_DEPTH, TestList, toMilliseconds } from './reported-test.ts'

type Suite = {
  name: string
  declared: number
  tests: number
  untimedPasses: ReportedTest[]
  failures: Set<string>
  /** The last test of each name: Gradle reports a repeated test once for each try, and the last try counts. */
  byName: Map<string, ReportedTest>
}

type Case = {
  name: string
  status: TestStatus
  durationMs: number | null
  message: string | null
  /** Name of the element that decided the status. */
  outcome: string | null
}

const ROOTS: ReadonlySet<string> = new Set(['testsuites', 'testsuite'])
/** Children of a test case that decide its status. A flaky failure passed at last, and a failed rerun repeats `failure`. */
const OUTCOMES: ReadonlyMap<string, TestStatus> = new Map([
  ['failure', 'failed'],
  ['error', 'failed'],
  ['skipped', 'skipped'],
])
/** Statuses of GoogleTest for a test that did not run. */
const NOT_RUN = new Set(['notrun', 'skipped', 'suppressed', 'disabled'])
/** Statuses of a failed test. Some programs write only the status, without a `failure` element. */
const FAILED = new Set(['fail', 'failed', 'failure', 'error'])
const MAX_TEXT_CHARACTERS = 4_000
/** Maximum depth of nested elements of any name. */
const MAX_ELEMENT_DEPTH = 256

export async function readJunit(text: string): Promise<ReportedTest[]> {
  // Node finds no named exports in sax.
  const { default: sax } = await import('sax')
  const parser = sax.parser(true, { strictEntities: true })
  const reader = new JunitReader()
  reader.listen(parser)
  parse(parser, text)
  if (!reader.hasRoot) throw new BrokenReport('is empty')
  return reader.tests.listWorstOfEach()
}

/** sax calls methods of its object of attributes, so an attribute with the name of one, `hasOwnProperty`, makes it fail. */
function parse(parser: Parser, text: string): void {
  try {
    parser.write(text).close()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new BrokenReport(`has an attribute that cannot be read: line ${parser.line + 1}`)
  }
}

class JunitReader {
  readonly tests = new TestList()
  hasRoot = false
  /** True if the root is `<testsuites>`. */
  #isListOfSuites = false
  readonly #suites: Suite[] = []
  #case: Case | null = null
  #elements = 0
  /** Depth below the open test case: 1 for its children. */
  #depth = 0
  /** Text of the open outcome without a message. */
  #text: string | null = null

  listen(parser: Parser): void {
    parser.onopentag = (tag) => this.#open(tag)
    parser.onclosetag = (name) => this.#close(name)
    const addText = (text: string) => {
      if (this.#text !== null && this.#text.length < MAX_TEXT_CHARACTERS)
        this.#text += text.slice(0, MAX_TEXT_CHARACTERS)
    }
    parser.ontext = addText
    parser.oncdata = addText
    parser.onerror = (error) => {
      const reason = error.message.split('\n', 1)[0] ?? ''
      // A reference to a control character, such as &#27;, stays as it is written.
      if (reason === 'Invalid character entity' && isNumeric(parser)) parser.error = null
      else throw new BrokenReport(`is not well-formed XML: line ${parser.line + 1}: ${reason}`)
    }
  }

  #open({ name, attributes }: Tag): void {
    if (!this.hasRoot && !ROOTS.has(name))
      throw new BrokenReport(`has the root <${name.slice(0, 100)}>, not <testsuites> or <testsuite>`)
    if (!this.hasRoot) this.#isListOfSuites = name === 'testsuites'
    this.hasRoot = true
    if (++this.#elements > MAX_ELEMENT_DEPTH)
      throw new BrokenReport(`has elements more than ${MAX_ELEMENT_DEPTH} levels deep`)
    if (this.#case !== null) {
      this.#depth++
      this.#openOutcome(this.#case, name, attributes)
    } else if (name === 'testsuite') this.#openSuite(attributes)
    else if (name === 'testcase') this.#case = this.#toCase(attributes)
    // An error outside of the tests, such as in a hook, is a failed test with the name of its suite.
    else if (OUTCOMES.get(name) === 'failed')
      this.tests.add(this.#suites.at(-1)?.name || name, 'failed', null, attributes.message ?? null)
  }

  #openSuite({ name = '', tests = '' }: Record<string, string>): void {
    if (this.#suites.length === MAX_DEPTH)
      throw new BrokenReport(`has suites more than ${MAX_DEPTH} levels deep`)
    const declared = /^\d{1,9}$/.test(tests) ? Number(tests) : Number.POSITIVE_INFINITY
    const joined = joinName(this.#suites.at(-1)?.name ?? '', name)
    this.#suites.push({
      name: joined,
      declared,
      tests: 0,
      untimedPasses: [],
      failures: new Set(),
      byName: new Map(),
    })
  }

  /**
   * Closes a suite. jest-junit writes a `todo` as a passed test of 0 seconds, but does not count it in the suite. Marks such
   * tests as skipped, because they prove nothing. Surefire, whose root is one suite, counts too few tests if it reruns some.
   */
  #closeSuite(): void {
    const suite = this.#suites.pop()
    if (suite === undefined || !this.#isListOfSuites || suite.tests <= suite.declared) return
    for (const test of suite.untimedPasses) test.status = 'skipped'
  }

  #toCase({ name = '', classname = '', time, status, result }: Record<string, string>): Case {
    const suite = joinName(this.#suites.at(-1)?.name ?? '', classname)
    const is = (words: ReadonlySet<string>) =>
      [status, result].some((word) => word !== undefined && words.has(word.toLowerCase()))
    return {
      name: joinName(suite, name),
      status: is(NOT_RUN) ? 'skipped' : is(FAILED) ? 'failed' : 'passed',
      durationMs: toMilliseconds(time, 1_000),
      message: null,
      outcome: null,
    }
  }

  #openOutcome(test: Case, name: string, { message }: Record<string, string>): void {
    const status = this.#depth === 1 ? OUTCOMES.get(name) : undefined
    // A failure wins over a later `skipped` of the same test.
    if (status === undefined || (test.status === 'failed' && test.outcome !== null)) return
    test.status = status
    test.outcome = name
    test.message = message ?? null
    this.#text = message === undefined || message.trim() === '' ? '' : null
  }

  #addCase({ name, status, durationMs, message, outcome }: Case): void {
    const test = this.tests.add(name, status, durationMs, message)
    const suite = this.#suites.at(-1)
    if (suite === undefined) return
    const earlier = suite.byName.get(test.name)
    if (earlier !== undefined) this.tests.remove(earlier)
    suite.byName.set(test.name, test)
    // pytest writes a test that fails in its call and in its teardown as two test cases, and counts one test.
    const isTeardown = outcome === 'error' && suite.failures.has(name)
    if (!isTeardown) suite.tests++
    if (outcome === 'failure') suite.failures.add(name)
    if (durationMs === 0 && status === 'passed') suite.untimedPasses.push(test)
  }

  #close(name: string): void {
    this.#elements--
    if (this.#case === null) {
      if (name === 'testsuite') this.#closeSuite()
      return
    }
    if (this.#depth === 0) {
      this.#addCase(this.#case)
      this.#case = null
      return
    }
    if (this.#depth === 1 && this.#text !== null) {
      this.#case.message = this.#text
      this.#text = null
    }
    this.#depth--
  }
}

const isNumeric = ({ entity }: Parser): boolean => /^#(?:\d{1,7}|x[\da-f]{1,6})$/i.test(entity)
