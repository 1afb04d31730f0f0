import { describe, expect, test } from 'vitest'
import { classifyFailure } from './failure.ts'

describe('failed calls are grouped by the first line that says something', () => {
  test.each([
    ['a heading', '### Error\nTimeoutError: Timeout 5000ms exceeded.', 'TimeoutError: Timeout Nms exceeded.'],
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
      'no tests ran in N.Ns',
    ],
    [
      'the header of pytest, in which a message was cut,',
      '=== test session starts ===\nplatform linux -- Python 3.12.7\nplugins: cov-6.2.1',
      'pytest',
    ],
    [
      'the header of pytest in a message that was cut',
      '=== test session starts ===\nplatform linux -- Python 3.12.7\nrootdir: /a/b\ncollecting ... collected 2 items\n\na.py::one PASSED [ 50%]\na.py::two FAILED [100%]\n=== FAILURES ===',
      'a.py::two FAILED [N%]',
    ],
    [
      'the file above its errors',
      '/src/shop/cart.ts\n  184:17 - error: unknown type',
      'N:N - error: unknown type',
    ],
    ['a line of signs', '──────\n✗ type error', '✗ type error'],
    ['a label alone', 'Error:\n\n  cannot open the file', 'cannot open the file'],
    ['the echo of a command', '> shop@1.0.0 test\n> vitest run\n\n1 failed', 'N failed'],
    [
      'a command with its task',
      'Exit code 1\n[lint] $ lint .\na.go: too long',
      'Exit code N: a.go: too long',
    ],
    ['an exit code and a heading', 'Exit code 2\n### Error\nboom', 'Exit code N: boom'],
    ['colours', '\u001b[31mError:\u001b[39m\nboom', 'boom'],
  ])('%s is skipped', (_name, message, common) => {
    expect(classifyFailure('Bash', message)).toBe(`Bash: ${common}`)
  })

  test.each([
    ['an error with its message', 'Error: no such file\nstack', 'Error: no such file'],
    ['a failed test', '--- FAIL: TestCart (0.01s)', '--- FAIL: TestCart (N.Ns)'],
    ['a heading that nothing follows', '### Error', '### Error'],
    ['an exit code that nothing follows', 'Exit code 1\n===', 'Exit code N: ==='],
    [
      'an error before the header of pytest',
      'ERROR: file not found: a.py\n=== test session starts ===\nplatform linux -- Python 3',
      'ERROR: file not found: a.py',
    ],
    ['a path that nothing follows', '/src/shop/cart.ts', '<path>'],
    ['an exit code alone', 'Exit code 1', 'Exit code N'],
  ])('%s stands', (_name, message, common) => {
    expect(classifyFailure('Bash', message)).toBe(`Bash: ${common}`)
  })

  test('without a message the tool alone stands', () => {
    expect(classifyFailure('Bash', ' \n')).toBe('Bash')
  })
})
