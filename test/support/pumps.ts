/** Texts that make a pattern read the same characters repeatedly (hardening, section 3). */
export const PUMPS: readonly string[] = [
  ...[
    '.',
    ',',
    ';:',
    ' ',
    '\n',
    '\t',
    '-',
    '_',
    '*',
    '**',
    '`',
    '#',
    '> ',
    '- ',
    '- [ ] ',
    '1. ',
    '__a',
    '[a](',
    '![',
  ],
  ...[
    'a',
    'aA',
    '1',
    'a1',
    '0x',
    'a.b',
    'a_b',
    '/a',
    '../',
    'AC-1 ',
    'line 1:',
    '12:34 ',
    '2026-01-01 ',
    '1h ',
    '(1 s)',
  ],
  ...[
    'password=',
    '"token":"',
    'eyJ',
    '://a:b',
    'Bearer ',
    '-----BEGIN PRIVATE KEY-----',
    'auth=(',
    'curl -u ',
    '漢',
    'e\u0301',
  ],
]

/**
 * Returns a text of the given size. Its last letter differs, so that a pattern that searches for the end
 * starts at each position of the run.
 */
export const pumped = (pump: string, size: number): string =>
  `${pump.repeat(Math.ceil(size / pump.length)).slice(0, size)}b`
