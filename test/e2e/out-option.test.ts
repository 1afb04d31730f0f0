import path from 'node:path'
import { expect, test } from 'vitest'
import { commandsOn, temporaryFolder } from './command.ts'

test.each(['report', 'export'])(
  '%s: a file that cannot be written is refused before anything is read, with the option and the folder',
  async (command) => {
    const home = temporaryFolder()
    const turngraph = commandsOn(home)
    const missing = path.join(home, 'missing', 'written')
    for (const [out, says] of [
      [missing, `error: --out: the folder "${path.dirname(missing)}" does not exist`],
      [home, `error: --out: "${home}" is a folder`],
    ] as const) {
      // A service that is nowhere: the first call to it says so.
      const environment = { TURNGRAPH_URL: 'http://127.0.0.1:9' }
      const { code, stdout, stderr } = await turngraph.run([command, '--project', 'shop', '--out', out], {
        environment,
      })
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain(says)
      expect(stderr).toMatch(/\nhint: .+\n/)
    }
  },
)
