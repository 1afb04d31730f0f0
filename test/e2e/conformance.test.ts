import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

test.each(['2025-11-25', '2026-07-28'])(
  'the official suite of MCP for %s passes but for what asks for its own tools',
  { timeout: 300_000 },
  async (suite) => {
    const args = ['--import', 'tsx', 'tools/conformance/main.ts', '--suite', suite]
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
    expect(code, said).toBe(0)
    const hasRun = said.includes('Baseline check passed')
    if (!hasRun)
      console.log(said) // it cannot be installed here, and is optional
    else expect(said).toMatch(/^✓ tools-list: \d+ passed, 0 failed$/m)
  },
)
