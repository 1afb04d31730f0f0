/** Writes the output of a command that a hook started as lines of hook.log. */
import { linePrefix } from './hook-input.ts'

export function writeAsLogLines(sessionId: string): void {
  for (const stream of [process.stdout, process.stderr]) beginLines(stream, () => linePrefix(sessionId))
}

function beginLines(stream: NodeJS.WriteStream, prefix: () => string): void {
  const write = stream.write.bind(stream) as (chunk: string, ...rest: unknown[]) => boolean
  let isLineStart = true
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')
    const lines = text.split(/(?<=\n)/).filter((line) => line !== '')
    const prefixed = lines.map((line, i) => (i > 0 || isLineStart ? prefix() + line : line))
    isLineStart = text === '' ? isLineStart : text.endsWith('\n')
    return write(prefixed.join(''), ...rest)
  }
}
