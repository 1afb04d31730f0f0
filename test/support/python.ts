import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Tools that build and check the client; the client itself has no dependencies. */
const TOOLS = ['build==1.3.0', 'flit_core==3.12.0', 'mypy==1.18.2']
const environment = path.join(root, '.python')

const hasPython = spawnSync('python3', ['--version']).status === 0

/** Declares a suite that runs Python. Without Python it is skipped, or fails under REQUIRE_PYTHON=1. */
export function describePython(name: string, suite: () => void): void {
  if (!hasPython && process.env.REQUIRE_PYTHON === '1') {
    test(`${name}: Python is here`, () => {
      throw new Error('REQUIRE_PYTHON=1, but there is no python3')
    })
    return
  }
  if (!hasPython) console.log(`Left out: ${name}. There is no python3.`)
  describe.skipIf(!hasPython)(name, suite)
}

/**
 * Returns the Python of an environment with the tools. The environment is created once, so that nothing
 * outside of it changes. Returns null if the tools are not available, which is a failure under
 * REQUIRE_PYTHON=1.
 */
export function pythonWithTools(): string | null {
  const python = path.join(environment, 'bin', 'python')
  if (existsSync(path.join(environment, 'bin', 'mypy'))) return python
  const made =
    spawnSync('python3', ['-m', 'venv', environment]).status === 0 &&
    spawnSync(python, ['-m', 'pip', 'install', '--quiet', ...TOOLS]).status === 0
  if (made) return python
  rmSync(environment, { recursive: true, force: true })
  if (process.env.REQUIRE_PYTHON === '1')
    throw new Error(`REQUIRE_PYTHON=1, but pip cannot install ${TOOLS.join(' ')}`)
  return null
}
