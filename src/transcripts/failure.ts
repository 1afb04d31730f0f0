/** Longer ones say nothing more about what fails again and again. */
const LONGEST = 120

const PATH = /(?:[A-Za-z]:)?(?:[\\/][\w.@%+~-]+){2,}[\\/]?/g
const ID = /\b(?:0x[0-9a-f]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[0-9a-f]*\d)[0-9a-f]{8,})\b/gi
const TAGS = /<\/?tool_use_error>/g

/**
 * The tool, and what a message has in common with those of the same failure: without paths, numbers and ids, so that
 * the same failure of another file is counted with it.
 *
 * @example failureOf('Read', 'File /a/b.ts is 3012 lines long') // 'Read: File <path> is N lines long'
 */
export function failureOf(tool: string, message: string): string {
  const lines = message
    .replace(TAGS, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  // "Exit code 1" alone says nothing: what was written to standard error does.
  const said = lines.slice(0, /^Exit code \d+$/.test(lines[0] ?? '') ? 2 : 1).join(': ')
  const normal = said.replace(PATH, '<path>').replace(ID, '<id>').replace(/\d+/g, 'N').replace(/\s+/g, ' ')
  const common = [...normal].slice(0, LONGEST).join('')
  return common === '' ? tool : `${tool}: ${common}`
}
