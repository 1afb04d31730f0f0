import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { recordsIn } from './lines.ts'

const HEADER = '{"format":"turngraph","version":2,"project":null,"since":null}'
const PROJECT = '{"kind":"project","key":"shop \u2028 ß","name":"shop \u2028 ß"}'
const FEATURE = '{"kind":"feature","project":"shop \u2028 ß","key":"shop \u2028 ß/F","id":"F"}'

const trailerOf = (lines: readonly string[], records: object = { project: 1, feature: 1 }): string =>
  JSON.stringify({
    kind: 'end',
    records,
    sha256: createHash('sha256')
      .update(lines.map((line) => `${line}\n`).join(''))
      .digest('hex'),
  })

const LINES = [HEADER, PROJECT, FEATURE]
const WHOLE = [...LINES, trailerOf(LINES)]

async function read(text: string | Buffer, chunk = 7): Promise<string[]> {
  const bytes = Buffer.from(text)
  async function* chunks() {
    // Reuses one buffer for all chunks, which a stream may do, too.
    const window = Buffer.alloc(chunk)
    for (let at = 0; at < bytes.length; at += chunk) {
      const size = bytes.copy(window, 0, at, Math.min(at + chunk, bytes.length))
      yield window.subarray(0, size)
    }
  }
  const found: string[] = []
  for await (const { number, record } of recordsIn(chunks(), 'x.jsonl'))
    found.push(`${number} ${record.kind}`)
  return found
}

const file = (...lines: string[]): string => lines.map((line) => `${line}\n`).join('')

describe('an export is checked while it streams', () => {
  test.each([1, 2, 7, 1_000])('in chunks of %i bytes, with any letter in its texts', async (chunk) => {
    expect(await read(file(...WHOLE), chunk)).toEqual(['2 project', '3 feature'])
  })

  test('a last line without a newline is a line', async () => {
    expect(await read(file(...WHOLE).trimEnd())).toHaveLength(2)
  })

  test.each<[string, string | Buffer, string, RegExp]>([
    ['nothing', '', 'x.jsonl is empty', /turngraph export/],
    ['no header', file(PROJECT), 'x.jsonl, line 1 is no header', /turngraph export/],
    [
      'another format',
      file('{"format":"other","version":1}'),
      'x.jsonl, line 1 is no header',
      /as it was written/,
    ],
    [
      'a later version',
      file(HEADER.replace(':2', ':4'), PROJECT),
      'x.jsonl, line 1 says version 4; this program reads versions 2 and 3',
      /a later one/,
    ],
    ['broken JSON', file(HEADER, '{"kind":'), 'x.jsonl, line 2 is no JSON', /cut off/],
    [
      'no UTF-8',
      Buffer.concat([Buffer.from(`${HEADER}\n`), Buffer.from([0x22, 0xff, 0x22, 0x0a])]),
      'x.jsonl, line 2 is not UTF-8',
      /as it was written/,
    ],
    [
      'an unknown kind',
      file(HEADER, '{"kind":"other"}'),
      'x.jsonl, line 2: kind: is none of project, feature',
      /as they were written/,
    ],
    ['no object', file(HEADER, '[1]'), 'x.jsonl, line 2: kind: is none of', /as they were written/],
    [
      'a missing field',
      file(HEADER, '{"kind":"project","key":"shop"}'),
      'x.jsonl, line 2: name:',
      /as they were written/,
    ],
    [
      'a field too many',
      file(HEADER, PROJECT.replace('}', ',"more":1}')),
      'x.jsonl, line 2: the record: Unrecognized key: "more"',
      /as they were written/,
    ],
    [
      'no trailer',
      file(...LINES),
      'x.jsonl, line 3 is the last one, and no trailer: the file is cut off',
      /Export again/,
    ],
    ['a header alone', file(HEADER), 'x.jsonl, line 1 is the last one, and no trailer', /Export again/],
    [
      'a line less',
      file(HEADER, PROJECT, WHOLE[3] ?? ''),
      'x.jsonl, line 3 says 1 lines of kind feature, the file has 0',
      /changed/,
    ],
    [
      'another letter',
      file(HEADER, PROJECT.replaceAll('ß', 's'), FEATURE, WHOLE[3] ?? ''),
      'x.jsonl, line 4 has another SHA-256',
      /changed/,
    ],
    [
      'lines in another order',
      file(HEADER, FEATURE, PROJECT, WHOLE[3] ?? ''),
      'x.jsonl, line 4 has another SHA-256',
      /changed/,
    ],
    [
      'Windows line ends',
      file(...WHOLE).replaceAll('\n', '\r\n'),
      'x.jsonl, line 4 has another SHA-256',
      /changed/,
    ],
    [
      'a broken trailer',
      file(...LINES, '{"kind":"end"}'),
      'x.jsonl, line 4 is no trailer',
      /as it was written/,
    ],
    [
      'two files in one',
      file(...WHOLE, ...WHOLE),
      'x.jsonl, line 5 comes after the trailer',
      /each by itself/,
    ],
  ])('%s', async (_name, text, message, hint) => {
    await expect(read(text)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(message),
      hint: expect.stringMatching(hint),
    })
  })
})
