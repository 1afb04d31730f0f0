/** Standard output is for what a command answers, standard error for all that is said beside it. */

export function printText(text: string): void {
  process.stdout.write(`${process.stdout.isTTY === true ? withoutControls(text) : text}\n`)
}

/** The wire form, and nothing else. */
export function printJson(wire: unknown): void {
  process.stdout.write(`${JSON.stringify(wire, null, 2)}\n`)
}

export function printNote(text: string): void {
  process.stderr.write(`${process.stderr.isTTY === true ? withoutControls(text) : text}\n`)
}

/** One line at a terminal that the next one replaces; how long the work is nobody knows. */
export function showProgress(line: string): void {
  if (process.stderr.isTTY === true) process.stderr.write(`\r\u001b[K${line}`)
}

const SHOWN = 20

/** The first of a list that may be long. */
export function printSome(what: string, lines: readonly string[]): void {
  for (const line of lines.slice(0, SHOWN)) printNote(`${what}: ${line}`)
  if (lines.length > SHOWN) printNote(`${what}: ${lines.length - SHOWN} more; --json lists all`)
}

/** Records hold whatever an agent wrote: at a terminal its control characters would be commands. */
export const withoutControls = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\uFFFD')
