/**
 * Recognizes the lines of a context by their forms, which come from the contract (turns.md, "The text"), not
 * from the code.
 */

const TURNS = String.raw`\(turns? \d+(?: to \d+)? (?:was|were) not recorded\)`
const LABELS = [
  ...[
    'What was attempted',
    'Player decision',
    'Coach decision',
    'Failed gates',
    'Blockers found',
    'Lessons learned',
  ],
  ...[
    'Feedback',
    'Suggested focus for this turn',
    'Progress',
    'Stall warning',
    'Seen by nobody yet',
    'Not judged so far',
  ],
]
const HEADINGS = [
  ...[
    'Acceptance Criteria Status',
    'Open issues',
    'Tried before',
    'Check again',
    'Known from other sessions',
  ],
]
const FROM = String.raw`(?: \((?:from turn \d+; [^)]*|[^)]*)\))?`

const OWN = [
  String.raw`## Previous Turn Summary \(Turn \d+\)`,
  TURNS,
  String.raw`\*\*(?:${LABELS.join('|')})\*\*${FROM}: .*`,
  String.raw`\*\*(?:${HEADINGS.join('|')})\*\*(?: \([^)]*\))?:`,
  String.raw`\*\*Promises recovered from turn \d+\*\*: \d+`,
  String.raw`\*\*Earlier session of this task\*\* \(.*\):`,
  String.raw`\(left out for length: [\w ,]+\)`,
  // Lines below a heading: criteria, issues, promises, facts from other sessions.
  ' {2}[✓✗○⚠] .*',
  ' {2}- .*',
  String.raw` {2}Turn \d+: .*`,
  String.raw` {2}\d+ turns?, last decision: .*`,
  String.raw` {2}\d+ of \d+ criteria verified there(?:, \d+ contested)?`,
  // Lines below a criterion or an issue, and any other line of a foreign text.
  ' {4}.*',
  '',
].map((shape) => new RegExp(`^${shape}$`, 'su'))

/** Every character that a terminal, a browser or a model may interpret as the end of a line. */
const LINE_BREAK = /\r\n|(?!\t)[\n\r\p{Cc}\u2028\u2029]/u

export const linesOf = (text: string): string[] => text.split(LINE_BREAK)

/** Finds lines of a context that have neither a form of Turngraph nor the indentation of foreign text. */
export const strangeLines = (context: string): string[] =>
  linesOf(context).filter((line) => !OWN.some((shape) => shape.test(line)))
