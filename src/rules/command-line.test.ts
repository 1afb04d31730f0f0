import { describe, expect, test } from 'vitest'
import { findCommands, MAX_ARGUMENTS, showCommand, splitCommand } from './command-line.ts'

const argv = (text: string) => {
  const split = splitCommand(text)
  return 'argv' in split ? split.argv : split.refused
}

describe('a command line', () => {
  test.each([
    ['npm test', ['npm', 'test']],
    ['  npm   run\ttest  ', ['npm', 'run', 'test']],
    [`npm test -- -t "half to even"`, ['npm', 'test', '--', '-t', 'half to even']],
    [`python -c 'print("$HOME | x")'`, ['python', '-c', 'print("$HOME | x")']],
    [`pip install -e ".[dev]"`, ['pip', 'install', '-e', '.[dev]']],
    [`a\\ b "c\\"d" 'e\\f' "g\\h"`, ['a b', 'c"d', 'e\\f', 'g\\h']],
    [`a"b"'c'd ""`, ['abcd', '']],
    ['grep 5$ a.txt', ['grep', '5$', 'a.txt']],
    ['find . -name x -exec ls {} +', ['find', '.', '-name', 'x', '-exec', 'ls', '{}', '+']],
    ['echo a#b c~ A=1', ['echo', 'a#b', 'c~', 'A=1']],
  ])('%s is split without a shell', (text, words) => {
    expect(argv(text)).toEqual(words)
  })

  test.each([
    ['npm test | tee log', '|'],
    ['npm test && npm run lint', '&&'],
    ['npm test; true', ';'],
    ['npm test > log', '>'],
    ['npm test &', '&'],
    ['echo $(id)', '$('],
    ['echo "$(id)"', '$('],
    ['echo $HOME', '$H'],
    ['echo `id`', '`'],
    ['(id)', '('],
    ['ls *.ts', '*'],
    ['ls ~/x', '~'],
    ['ls # all', '#'],
    ['ls {a,b}', '{'],
    ['CI=1 npm test', 'CI=1'],
    ['! npm test', '!'],
    ['npm test\nid', 'a line break'],
  ])('%s is refused with the option for a shell', (text, construct) => {
    expect(argv(text)).toBe(
      `needs a shell for "${construct}"; give it on the command line with \`turngraph verify --shell\``,
    )
  })

  test('is refused with the reason if it is broken', () => {
    expect(argv(`echo "it`)).toBe('has a quote " that does not end')
    expect(argv(`echo it's`)).toBe("has a quote ' that does not end")
    expect(argv('echo \\')).toBe('ends with a backslash')
    expect(argv(' ')).toBe('names no program')
    expect(argv(`"" x`)).toBe('names no program')
    expect(argv('x '.repeat(MAX_ARGUMENTS + 1))).toBe(`has more than ${MAX_ARGUMENTS} arguments`)
    expect(argv('x'.repeat(9_000))).toBe('is longer than 4096 bytes')
  })

  test('is split again into the same arguments after it was shown', () => {
    for (const words of [
      ['npm', 'test'],
      ['a b', "it's", '', '"', '\\', '$(id)', 'é', '*'],
    ]) {
      expect(argv(showCommand(words))).toEqual(words)
    }
  })
})

describe('the command of a criterion', () => {
  test.each([
    ['`npm test` exits 0', 'npm test'],
    ['`npm test` exits with code 0.', 'npm test'],
    ['`ruff check src/ tests/` passes with zero errors', 'ruff check src/ tests/'],
    ['The build `npm run build` succeeds on Node 20', 'npm run build'],
    ['`mypy src/` runs clean', 'mypy src/'],
    ['Run `npm test`', 'npm test'],
    ['run `npm test` twice', 'npm test'],
    ['Both `a` and `npm test` passes', 'npm test'],
    ['Run `npm test`: `npm test` exits 0', 'npm test'],
  ])('is named by: %s', (text, command) => {
    expect(findCommands(text)).toEqual([command])
  })

  test.each([
    '`npm test`',
    'The test `npm test` is fast',
    '`heartbeat_loop` exits cleanly when `cancel_event` is set',
    '`loss` exits 0.5 at most',
    '`retry` passes_through the error',
    'Do not run `rm -rf build`',
    'npm test passes',
    '`` passes',
    'Running `npm test`',
  ])('is not named by: %s', (text) => {
    expect(findCommands(text)).toEqual([])
  })

  test.each(['`npm test` passes and `npm run lint` runs clean', 'Run `npm test`; `npm run lint` exits 0'])(
    'is listed with the second command: %s',
    (text) => {
      expect(findCommands(text)).toEqual(['npm test', 'npm run lint'])
    },
  )
})
