import { expect, test } from 'vitest'
import { sourcePaths } from './source-paths.ts'

test('a worktree prefix is made relative, and what it then repeats is dropped', () => {
  expect(
    sourcePaths([
      '/home/dev/shop/.guardkit/worktrees/FEAT-1/src/cart.py',
      'src/cart.py',
      './tests/test_cart.py',
      '.claude/worktrees/w1/docs/a.md',
    ]),
  ).toEqual(['src/cart.py', 'tests/test_cart.py', 'docs/a.md'])
})

test("the orchestrator's own files and caches are dropped", () => {
  expect(
    sourcePaths([
      '.guardkit/autobuild/TASK-1/player_turn_1.json',
      '/home/dev/shop/.guardkit/worktrees/FEAT-1/.guardkit/bootstrap_state.json',
      'src/__pycache__/cart.cpython-312.pyc',
      '.pytest_cache/README.md',
      'build/cart.pyc',
      ' ',
    ]),
  ).toEqual([])
})

test('a folder of sources named worktrees or cache stays', () => {
  const paths = ['src/worktrees/git/list.ts', 'src/cache.py', '/tmp/scratch.py']
  expect(sourcePaths(paths)).toEqual(paths)
})
