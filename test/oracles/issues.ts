// Which issues of a session are open or gone after each of its turns, calculated straight from the files.
import { type Turn, tasks } from './artifacts.ts'

export type IssueExpectation = {
  category: string
  description: string // as the newest turn that raised it words it
  openedInTurn: number
  turns: number[]
  goneInTurn: number | null
}
export type SessionExpectation = {
  featureId: string
  taskId: string
  folder: string
  worldIndex: number
  after: { turn: number; issues: IssueExpectation[] }[]
}

/** Removes the parts of a text that change from run to run; every other number stays. */
function steady(text: string): string {
  const units = '(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)'
  const time = `\\d+([.,]\\d+)?\\s?${units}\\b`
  return text
    .normalize('NFKC')
    .replace(/(\/private)?\/(tmp|var\/folders|var\/tmp|dev\/shm)(?![\w-])[^\s'"`,;:)\]}]*/g, 'FOLDER')
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, 'ID')
    .replace(/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b/gi, 'ID')
    .replace(/\d{4}-\d\d-\d\d([t ]\d\d:\d\d(:\d\d([.,]\d+)?)?(z|[+-]\d\d:?\d\d)?)?/gi, 'DATE')
    .replace(new RegExp(`\\b(in|took|after|duration|elapsed)([\\s:=]+)${time}`, 'gi'), '$1$2TIME')
    .replace(new RegExp(`\\(${time}\\)`, 'gi'), '(TIME)')
    .replace(/\b(lines?|columns?|col|ln)[ :#]+\d+([-–]\d+)?/gi, '$1 N')
    .replace(/(\.[a-z]{1,8}):\d+(:\d+)?/gi, '$1:N')
    .replace(/\bpid[ =:]*\d+/gi, 'pid N')
}

/** Normalizes a description: equal results are the same complaint. Leading zeros of labels do not count. */
const sameWords = (text: string): string =>
  steady(text)
    .toLowerCase()
    .replace(/\b([a-z]{1,20}([-_][a-z]+)*[-_])0*(\d{1,4})\b/g, '$1$3')
    .split(/\s+/)
    .join(' ')
    .trim()

/** Words that look like code: with a slash, an underscore, a dot or a capital inside, flags, and quoted texts. */
function codeWords(text: string): Set<string> {
  const found = new Set<string>()
  for (const [, a, b, c] of text.matchAll(/`([^`\n]+)`|"([^"\n]+)"|(?<!\w)'([^'\n]+)'(?!\w)/g))
    found.add((a ?? b ?? c ?? '').trim())
  for (const word of steady(text).split(/[\s`"'()[\]{},;<>|*=]+|::/)) {
    const name = word.replace(/^[.:!?]+(?=\w)|[.:!?]+$|:N$/g, '')
    const isLabel = /^[a-z]+(-[a-z]+)*-\d+$/i.test(name)
    const isCode =
      /\w\/.*\.\w|\/.*\/\w/.test(name) ||
      /[A-Za-z0-9]_\w|^--?[a-z]|[a-z][A-Z]|^[A-Za-z_]\w*\.[A-Za-z_]/.test(name)
    if (isCode && !isLabel) found.add(name)
  }
  return found
}

type Issue = Turn['issues'][number]
const shared = (a: Issue, b: Issue): number => {
  if (a.category !== b.category) return 0
  if (sameWords(a.description) === sameWords(b.description)) return Number.POSITIVE_INFINITY
  const [one, other] = [codeWords(a.description), codeWords(b.description)]
  const both = [...one].filter((word) => other.has(word)).length
  return both >= 2 && both >= 0.6 * Math.min(one.size, other.size) ? both : 0
}

type Life = { newest: Issue[]; turns: number[]; goneInTurn: number | null }

function issuesAfter(turns: Turn[]): IssueExpectation[] {
  const lives: Life[] = []
  for (const { number, coachDecision, issues } of turns) {
    const before = lives.map(({ newest }) => newest)
    const most = (issue: Issue, others: readonly Issue[]) =>
      Math.max(0, ...others.map((other) => shared(issue, other)))
    const closest = (issue: Issue, groups: readonly (readonly Issue[])[]) => {
      const overlaps = groups.map((group) => most(issue, group))
      const best = Math.max(0, ...overlaps)
      return best === 0 ? -1 : overlaps.indexOf(best)
    }
    const raised = new Map<number, Issue[]>()
    const firsts: Issue[][] = []
    for (const issue of issues) {
      const known = closest(issue, before)
      const fresh = known === -1 ? closest(issue, firsts) : -1
      if (known === -1 && fresh === -1) firsts.push([issue])
      const at = known !== -1 ? known : before.length + (fresh === -1 ? firsts.length - 1 : fresh)
      raised.set(at, [...(raised.get(at) ?? []), issue])
    }
    for (const [at, same] of raised)
      lives[at] = { newest: same, turns: [...(lives[at]?.turns ?? []), number], goneInTurn: null }
    if (!/^(approved|feedback|rejected)$/.test(coachDecision)) continue
    before.forEach((newest, at) => {
      const life = lives[at]!
      const isRaised = raised.has(at) || issues.some((issue) => most(issue, newest) > 0)
      if (!isRaised && life.goneInTurn === null) life.goneInTurn = number
    })
  }
  return lives.map(({ newest, turns: numbers, goneInTurn }) => {
    const severest = Math.min(...newest.map(({ severity }) => severity))
    const { category, description } = newest.find(({ severity }) => severity === severest)!
    return { category, description, openedInTurn: numbers[0]!, turns: numbers, goneInTurn }
  })
}

export const issueExpectations = (root: string): SessionExpectation[] =>
  tasks(root).flatMap(({ worlds, ...task }) =>
    worlds.map((turns, w) => ({
      ...task,
      worldIndex: w + 1,
      after: turns.map(({ number }, i) => ({ turn: number, issues: issuesAfter(turns.slice(0, i + 1)) })),
    })),
  )
