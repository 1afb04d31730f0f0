/**
 * Reads a report in TAP 13 or 14, with subtests, as Node's test runner, node-tap, pg_prove and Bats write it. Pure. A run that
 * bailed out, or that ran another number of tests than it planned, proves nothing: its report is refused.
 */
import { trimEnd } from '../../core/trim-end.ts'
import type { ReportedTest, TestStatus } from '../../rules/map-tests.ts'
import { BrokenReport, joinName, MAX_DEPTH, TestList, toMilliseconds } from './reported-test.ts'

type Point = {
  name: string
  status: TestStatus
  durationMs: number | null
  message: string | null
  subtests: readonly Point[]
}

type Level = {
  points: Point[]
  planned: number | null
  /** Points of a closed level that the next point of this level sums up. */
  pending: Point[]
  /** Point that opened the level by a brace. */
  owner: Point | null
}

const POINT = /^(not )?ok(?=\s|$)[ \t]*(\d{1,9}(?=\s|$))?[ \t]*(?:-(?=\s|$))?[ \t]*(.*)$/
const PLAN = /^1\.\.(\d{1,9})(?=\s|$)/
const DIRECTIVE = /^(skip|todo)(?![a-z]*[-\w]*=)/i
const INDENT = 4

export function readTap(text: string): ReportedTest[] {
  const reader = new TapReader()
  for (const line of text.split('\n')) reader.read(trimEnd(line, (character) => ' \t\r'.includes(character)))
  return reader.end()
}

const openLevel = (owner: Point | null = null): Level => ({ points: [], planned: null, pending: [], owner })

class TapReader {
  readonly #levels: Level[] = [openLevel()]
  #block: number | null = null
  #line = 0

  read(line: string): void {
    this.#line++
    const content = line.trimStart()
    const indent = line.length - content.length
    if (this.#block !== null) {
      // A block without an end ends at the next line that is less indented.
      if (content === '' || indent >= this.#block) {
        this.#readBlock(content, indent)
        return
      }
      this.#block = null
    }
    if (content === '---') this.#block = indent
    else if (content.startsWith('Bail out!')) this.#refuse(`bailed out: ${content.slice(9).trim()}`)
    else this.#readLine(content, Math.floor(indent / INDENT))
  }

  #readLine(content: string, depth: number): void {
    const plan = PLAN.exec(content)
    const point = plan === null ? POINT.exec(content) : null
    const closes = content === '}'
    // Other lines are output of the tests.
    if (plan === null && point === null && !closes) return
    this.#moveTo(depth)
    if (closes) return
    const level = this.#levels.at(-1)
    if (level === undefined) return
    if (plan !== null) {
      if (level.planned !== null) this.#refuse(`line ${this.#line}: has a second plan`)
      level.planned = Number(plan[1])
    } else if (point !== null) this.#addPoint(level, point)
  }

  /** Opens or closes levels. A closed level belongs to the point that opened it, or to the next point of the level above. */
  #moveTo(depth: number): void {
    if (depth >= MAX_DEPTH) this.#refuse(`has subtests more than ${MAX_DEPTH} levels deep`)
    while (this.#levels.length > depth + 1) this.#closeLevel()
    while (this.#levels.length < depth + 1) this.#levels.push(openLevel(this.#findOwner()))
  }

  /** Returns the last point of the innermost level if its line ends with a brace. */
  #findOwner(): Point | null {
    const last = this.#levels.at(-1)?.points.at(-1)
    return last?.name.endsWith(BRACE) ? last : null
  }

  #closeLevel(): void {
    const level = this.#levels.pop()
    if (level === undefined) return
    this.#checkPlan(level)
    const points = [...level.points, ...level.pending]
    if (level.owner !== null) level.owner.subtests = points
    else this.#levels.at(-1)?.pending.push(...points)
  }

  #checkPlan({ points, planned }: Level): void {
    if (planned !== null && planned !== points.length)
      this.#refuse(`plans ${planned} tests and has ${points.length}`)
  }

  #addPoint(level: Level, [, not, , rest = '']: RegExpExecArray): void {
    const { name, directive } = splitDirective(rest)
    const subtests = level.pending
    level.pending = []
    const status = directive !== null ? 'skipped' : not === undefined ? 'passed' : 'failed'
    level.points.push({ name, status, durationMs: null, message: null, subtests })
  }

  #readBlock(content: string, indent: number): void {
    if (content === '...' && indent === this.#block) {
      this.#block = null
      return
    }
    const point = this.#levels.at(-1)?.points.at(-1)
    if (indent !== this.#block || point === undefined) return
    const [, field, value = ''] = /^(duration_ms|error|message):[ \t]*(.*)$/.exec(content) ?? []
    if (field === 'duration_ms') point.durationMs ??= toMilliseconds(value)
    else if (field !== undefined && !/^[|>]-?$/.test(value)) point.message ??= value
  }

  end(): ReportedTest[] {
    while (this.#levels.length > 1) this.#closeLevel()
    const [root] = this.#levels
    if (root === undefined || (root.planned === null && root.points.length === 0))
      throw new BrokenReport('has no plan and no test')
    if (root.planned === null) throw new BrokenReport('has no plan, so tests may be missing')
    this.#checkPlan(root)
    const tests = new TestList()
    addPoints(tests, [...root.points, ...root.pending], { suite: '', isSkipped: false })
    return tests.listWorstOfEach()
  }

  #refuse(reason: string): never {
    throw new BrokenReport(reason)
  }
}

const BRACE = ' {'

/** Splits `name # SKIP reason` at its last mark that is not escaped. */
function splitDirective(rest: string): { name: string; directive: string | null } {
  const brace = rest.endsWith(BRACE) ? BRACE : ''
  const text = rest.slice(0, rest.length - brace.length)
  const at = findMark(text)
  const comment = at < 0 ? '' : text.slice(at + 1).trim()
  const directive = DIRECTIVE.exec(comment)?.[1] ?? null
  const isComment = directive !== null || /^time=\d/.test(comment)
  const name = isComment ? text.slice(0, at).trim() : text.trim()
  return { name: name.replace(/\\([\\#])/g, '$1') + brace, directive }
}

function findMark(text: string): number {
  for (let at = text.lastIndexOf('#'); at >= 0; at = at === 0 ? -1 : text.lastIndexOf('#', at - 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return at
  }
  return -1
}

type Place = { suite: string; isSkipped: boolean }

/** A point with subtests counts itself only if it failed and none of them did, as when a hook fails. */
function addPoints(tests: TestList, points: readonly Point[], { suite, isSkipped }: Place): boolean {
  let hasFailed = false
  for (const { name: written, status: own, durationMs, message, subtests } of points) {
    const name = joinName(suite, written.endsWith(BRACE) ? written.slice(0, -BRACE.length) : written)
    const status = isSkipped ? 'skipped' : own
    const place = { suite: name, isSkipped: status === 'skipped' }
    const hasFailedBelow = addPoints(tests, subtests, place)
    const isLeaf = subtests.length === 0
    if (isLeaf || (status === 'failed' && !hasFailedBelow)) tests.add(name, status, durationMs, message)
    hasFailed ||= status === 'failed' || hasFailedBelow
  }
  return hasFailed
}
