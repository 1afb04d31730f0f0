import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { cli } from '../faults/harness/service-process.ts'
import { commandsOn, temporaryFolder } from './command.ts'

/** Shell completion, called in the same way as by a shell. */

const completed = async (...words: string[]): Promise<string[]> => {
  const { stdout, code, stderr } = await commandsOn(temporaryFolder()).spawn(['complete', '--', ...words])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
    .split('\n')
    .filter((line) => !line.startsWith(':') && line !== '')
    .map((line) => line.split('\t')[0] ?? '')
}

test('commands, options and the values of options are completed', async () => {
  expect(await completed('cr')).toEqual(['criteria'])
  expect(await completed('run', '')).toEqual(['start', 'status', 'list', 'cancel', 'attempts', 'help'])
  expect(await completed('criteria', '--po')).toEqual(['--policy'])
  expect(await completed('criteria', '--policy', '')).toEqual([
    'sticky',
    'evidence',
    'latest',
    'fresh',
    'observed',
  ])
  expect(await completed('comp')).toEqual(['compare', 'completion'])
  expect(await completed('query', '--preset', 'bl')).toEqual(['blockers', 'blocking-gates'])
  expect(await completed('world', 'h')).toEqual(['history', 'help'])
  expect(await completed('world', 'turns', '--li')).toEqual(['--limit'])
})

test.each(['bash', 'zsh', 'fish', 'powershell'])(
  '%s gets a script that asks this command line',
  async (shell) => {
    const { code, stdout, stderr } = await commandsOn(temporaryFolder()).run(['completion', shell])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/turngraph complete '?--/)
  },
)

test('an unknown shell is rejected with the list of supported ones', async () => {
  const { code, stdout, stderr } = await commandsOn(temporaryFolder()).run(['completion', 'tcsh'])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('bash, zsh, fish, powershell')
})

test.skipIf(process.platform === 'win32')('bash completes the typed word', async () => {
  const folder = temporaryFolder()
  writeFileSync(path.join(folder, 'turngraph'), `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`, {
    mode: 0o755,
  })
  // The package bash-completion has this function; a bash of continuous integration may lack it.
  const typed = `_get_comp_words_by_ref() { words=(turngraph run list --status c); cur=c; prev=--status; cword=4; }
compopt() { :; }
source <(turngraph completion bash)
__turngraph_complete
echo "\${COMPREPLY[@]}"`
  const env = { ...process.env, PATH: `${folder}${path.delimiter}${process.env.PATH}` }
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', typed], { cwd: folder, env })
  expect(stdout).toBe('cancel_requested completed cancelled\n')
})
