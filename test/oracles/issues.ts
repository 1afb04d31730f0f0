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

const UNITS = 'milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h'
const FOLDERS = /(\/private)?\/(tmp|var\/folders|var\/tmp|dev\/shm)(?![\w.-])[^\s'"`,;:)\]}]*/g

/** A word with what changes from run to run taken out. The number of a label stays, in letters; so do a name's digits. */
function steady(word: string): string {
  if (/^[0-9a-f]{7,64}$/.test(word) && /\d/.test(word)) return 'ID'
  if (/^0x[0-9a-f]+$/.test(word) || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(word)) return 'ID'
  if (/^l\d+$/.test(word)) return 'N'
  return word
    .replace(/^([a-z]{1,20}(?:[-_][a-z]+)*)[-_](\d{1,4})(?![a-z\d_])/, (_, name, number) => {
      const inLetters = [...String(Number(number))].map((digit) => 'ABCDEFGHIJ'[Number(digit)]).join('')
      return `${name}-${inLetters}`
    })
    .replace(/(?<![a-z_\d])\d+/g, 'N')
}

/** What makes two descriptions the same complaint. */
export const sameWords = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(FOLDERS, 'FOLDER')
    .replace(/[a-z\d_]+(?:-[a-z\d_]+)*/g, steady)
    .replace(/N(?:[.,:]N)+/g, 'N')
    .replace(new RegExp(`N\\s?(?:${UNITS})\\b`, 'g'), 'TIME')
    .split(/\s+/)
    .join(' ')
    .trim()

function issuesAfter(turns: Turn[]): IssueExpectation[] {
  const identity = (issue: Turn['issues'][number]) => `${issue.category}\n${sameWords(issue.description)}`
  const all = [...new Set(turns.flatMap(({ issues }) => issues.map(identity)))]
  return all.map((id) => {
    const raising = turns.filter(({ issues }) => issues.some((issue) => identity(issue) === id))
    const [first, last] = [raising[0]!, raising.at(-1)!]
    const without = turns.find(
      ({ number, coachDecision }) =>
        number > last.number && /^(approved|feedback|rejected)$/.test(coachDecision),
    )
    const worded = last.issues.filter((issue) => identity(issue) === id)
    const severest = Math.min(...worded.map(({ severity }) => severity))
    const { category, description } = worded.find(({ severity }) => severity === severest)!
    const numbers = raising.map(({ number }) => number)
    return {
      category,
      description,
      openedInTurn: first.number,
      turns: numbers,
      goneInTurn: without?.number ?? null,
    }
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
