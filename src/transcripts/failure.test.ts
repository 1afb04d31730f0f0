import { describe, expect, test } from 'vitest'
import { classifyFailure } from './failure.ts'

describe('failed calls are grouped by the last informative line', () => {
  test.each([
    [
      'a heading',
      '### Error\nTimeoutError: Timeout 5000ms exceeded.',
      'TimeoutError: Timeout <duration> exceeded.',
    ],
    ['a heading and a label', '### Error\nError:\nNo such tab', 'No such tab'],
    ['a rule', '===\nno route to host', 'no route to host'],
    ['a rule with a title', '===== test session starts =====\nE  assert 1 == 2', 'E assert N == N'],
    [
      'the header of pytest',
      '=== test session starts ===\nplatform linux -- Python 3.12.7, pytest-8.4.0 -- /a/b/python\nrootdir: /a/b\ncollecting ... collected 6 items\n\ntest/test_cart.py::test_empty FAILED [ 16%]\n=== FAILURES ===\n____ test_empty ____\n    def test_empty():\n>       assert 1 == 2\nE       assert 1 == 2',
      'E assert N == N',
    ],
    [
      'the header of pytest without a test',
      '=== test session starts ===\nplatform linux -- Python 3.12.7, pytest-8.4.0\ncollected 0 items\n\n=== no tests ran in 0.01s ===',
      'no tests ran in <duration>',
    ],
    [
      'the header of pytest, in which a message was cut,',
      '=== test session starts ===\nplatform linux -- Python 3.12.7\nplugins: cov-6.2.1',
      'test session starts',
    ],
    [
      'the header of pytest in a message that was cut',
      '=== test session starts ===\nplatform linux -- Python 3.12.7\nrootdir: /a/b\ncollecting ... collected 2 items\n\na.py::one PASSED [ 50%]\na.py::two FAILED [100%]\n=== FAILURES ===',
      '<path>::two FAILED [N%]',
    ],
    [
      'the file above its errors',
      '/src/shop/cart.ts\n  184:17 - error: unknown type',
      'N:N - error: unknown type',
    ],
    ['a line of signs', '──────\n✗ type error', '✗ type error'],
    ['a label alone', 'Error:\n\n  cannot open the file', 'cannot open the file'],
    ['the echo of a command', '> shop@1.0.0 test\n> vitest run\n\n1 failed', 'N failed'],
    ['a command with its task', 'Exit code 1\n[lint] $ lint .\na.go: too long', '<path>: too long'],
    ['an exit code and a heading', 'Exit code 2\n### Error\nboom', 'boom'],
    ['colours', '\u001b[31mError:\u001b[39m\nboom', 'boom'],
  ])('%s is skipped', (_name, message, common) => {
    expect(classifyFailure('Bash', message)).toBe(`Bash: ${common}`)
  })

  test.each([
    ['an error with its message', 'stack\nError: no such file', 'Error: no such file'],
    ['a failed test', '--- FAIL: TestCart (0.01s)', '--- FAIL: TestCart (<duration>)'],
    ['a heading that nothing follows', '### Error', '### Error'],
    ['an exit code that nothing follows', 'Exit code 1\n===', 'Exit code N'],
    [
      'an error before the header of pytest',
      'ERROR: file not found: a.py\n=== test session starts ===\nplatform linux -- Python 3',
      'ERROR: file not found: <path>',
    ],
    ['a path that nothing follows', '/src/shop/cart.ts', '<path>'],
    ['an exit code alone', 'Exit code 1', 'Exit code N'],
    [
      'the reason before advice and exit codes',
      'Exit code 2\nsrc/cart.ts(3,1): error TS2304: Cannot find name\nhint: use --help\nerror Command failed with exit code 2.\nDuration 3.1s',
      '<path>(N,N): error TSN: Cannot find name',
    ],
    [
      'a summary with a duration',
      'Exit code 1\n=== 2 failed, 5 passed in 61.20s ===',
      'N failed, N passed in <duration>',
    ],
    ['a duration of minutes', 'Command timed out after 2m 0.0s', 'Command timed out after <duration>'],
  ])('%s is kept', (_name, message, common) => {
    expect(classifyFailure('Bash', message)).toBe(`Bash: ${common}`)
  })

  test('the same failure of another file, line and duration has the same name', () => {
    const at = (path: string, line: number, ms: number) =>
      classifyFailure(
        'Bash',
        `Exit code 1\nchecking\n${path}:${line}:3 - error: unknown type after ${ms}ms\n`,
      )
    expect(at('src/cart.ts', 12, 40)).toBe(at('/srv/shop/lib/order.ts', 7, 1250))
  })

  test('a failure without a message has only the name of the tool', () => {
    expect(classifyFailure('Bash', ' \n')).toBe('Bash')
  })
})
