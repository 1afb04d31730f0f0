/** Reads the outcome of a Codex call from its output. Texts are inspected, and passed on only with an exit code. */
import { parseJson } from '../../core/parse-json.ts'
import { asText } from '../content.ts'
import { asObject } from '../line-records.ts'

export type CodexOutcome = {
  status: 'ok' | 'error' | 'denied' | 'interrupted'
  /** The output of a failed command, after `Exit code N`; null for every other output. */
  text: string | null
}

const OK: CodexOutcome = { status: 'ok', text: null }

/** Matches the outputs of calls that were not made. The words of a person may follow. */
const STOPPED =
  /^\s*(?:aborted(?: by user|$)|command (?:was )?(?:aborted|interrupted)|user (?:aborted|interrupted))/i
const REFUSED =
  /^\s*(?:exec command rejected|exec_command failed for [^\n]{0,2000}rejected by user|(?:patch|command|apply_patch|user|tool call) rejected|rejected(?: by user|: )|user cancelled MCP tool call)/i

/** Matches the outputs by which Codex says that a call failed without a process. */
const FAILED =
  /^\s*(?:apply_patch (?:verification|handler) failed|failed to (?:parse|run|apply|read|write|spawn|start|locate)|unsupported (?:call|custom tool call)|exec_command failed|write_stdin failed|execution error|unable to locate|tool call error|err: |error: |Script failed)/i

const HEADER =
  /^(?:Command: |Chunk ID: |Wall time: |Original token count: |Total output lines: |Process running with |Warning: )/
const EXIT_CODE = /^(?:Exit code: |Process exited with code )(-?\d{1,10})\s*$/
const MAX_HEADER_LINES = 12

/** @param output the `output` of a `function_call_output` or a `custom_tool_call_output` */
export function readCodexOutput(output: unknown): CodexOutcome {
  if (typeof output === 'string') return readText(output)
  if (Array.isArray(output)) return readText(joinTexts(output))
  const object = asObject(output)
  return object === null ? OK : readObject(object)
}

/** @param code exit code of a process; another value than 0 is a failure */
export const exitedWith = (code: number, text: string): CodexOutcome =>
  code === 0 ? OK : { status: 'error', text: `Exit code ${code}\n${text}` }

export function readMcpResult(result: unknown): CodexOutcome {
  const { Ok: ok, Err: failure } = asObject(result) ?? {}
  if (failure !== undefined)
    return REFUSED.test(asText(failure) ?? '')
      ? { status: 'denied', text: null }
      : { status: 'error', text: null }
  return readObject(asObject(ok) ?? {})
}

function readText(text: string): CodexOutcome {
  const object = /^\s*\{/.test(text) ? asObject(parseJson(text)) : null
  if (object !== null && 'metadata' in object) return readObject(object)
  if (STOPPED.test(text)) return { status: 'interrupted', text: null }
  if (REFUSED.test(text)) return { status: 'denied', text: null }
  return readHeader(text) ?? (FAILED.test(text) ? { status: 'error', text: null } : OK)
}

/** Reads the exit code from the lines before the output; null if they name none. */
function readHeader(text: string): CodexOutcome | null {
  let code: number | null = null
  for (let line = 0, at = 0; line < MAX_HEADER_LINES && at < text.length; line++) {
    const newline = text.indexOf('\n', at)
    const end = newline < 0 ? text.length : newline
    const words = text.slice(at, end).trimEnd()
    const exit = EXIT_CODE.exec(words.slice(0, 80))?.[1]
    if (exit !== undefined) code = Number(exit)
    else if (!HEADER.test(words)) {
      if (code === null) return null
      return exitedWith(code, words === 'Output:' ? text.slice(end + 1) : text.slice(at))
    }
    at = end + 1
  }
  return code === null ? null : exitedWith(code, '')
}

/** Reads `{output, metadata: {exit_code}}`, `{content, success}` and the results of MCP tools. */
function readObject(object: Readonly<Record<string, unknown>>): CodexOutcome {
  const code = asObject(object.metadata)?.exit_code
  if (typeof code === 'number' && Number.isInteger(code)) return exitedWith(code, asText(object.output) ?? '')
  if (object.success === false || object.isError === true || object.is_error === true)
    return { status: 'error', text: null }
  const content = asText(object.content)
  return content === null ? OK : readText(content)
}

const joinTexts = (items: readonly unknown[]): string =>
  items
    .map((item) => (typeof item === 'string' ? item : asText(asObject(item)?.text)))
    .filter((text) => text !== null)
    .join('\n')
