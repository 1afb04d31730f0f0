import { describe, expect, test } from 'vitest'
import { fillForm, INNOCENT_LINES, SECRET_FORMS } from '../../../test/support/secret-forms.ts'
import { scrub } from './scrub.ts'

/** Assembled when the test runs, so that secret scanners do not reject this file. */
const SECRETS = [`k7Qp2vXz9LmT${'4wBn8RfD'}`, `Tr0ub4dor-${'x9Kq2mZ'}`, `9fA3bC7dE1${'f5A2b8C4dE'}`]

const maskedIn = async (text: string): Promise<string> =>
  (await scrub({ playerSummary: text })).scrubbed.playerSummary

describe('secrets are masked by the forms that they are written in', () => {
  test('at most 3 of 100 survive, over all forms and several secrets', async () => {
    const through: string[] = []
    for (const secret of SECRETS) {
      for (const form of SECRET_FORMS) {
        const text = fillForm(form, secret)
        expect(text, form).toContain(secret)
        if ((await maskedIn(text)).includes(secret)) through.push(text)
      }
    }
    expect(SECRET_FORMS.length).toBeGreaterThanOrEqual(200)
    expect(through.length, through.join('\n')).toBeLessThanOrEqual(
      0.03 * SECRETS.length * SECRET_FORMS.length,
    )
  })

  test('within JSON and within a longer text too', async () => {
    const [secret = ''] = SECRETS
    const through: string[] = []
    for (const form of SECRET_FORMS) {
      const text = fillForm(form, secret)
      for (const around of [JSON.stringify({ stdout: text }), `I ran it:\n\n    ${text}\n\nand it worked.`])
        if ((await maskedIn(around)).includes(secret)) through.push(around)
    }
    expect(through.length, through.join('\n')).toBeLessThanOrEqual(0.03 * 2 * SECRET_FORMS.length)
  })
})

test('a short password is masked after the name of a password variable without a separator, such as SSHPASS', async () => {
  for (const text of [
    'SSHPASS=hunter2! rsync -a . host:',
    'export DBPASS=Tr0ub4dor&3',
    'SMTPPASS="qw3rty#1"',
    'APP_DBPASS=hunter2!',
    'MONGOPASS=hunter2!',
    'USERPASS=hunter2!',
    'KEYPASS=hunter2!',
    'storepass=hunter2!',
    'appDbPass=hunter2!',
    'java -Dstorepass=hunter2! -jar app.jar',
    'mvn verify -Djavax.net.ssl.keyStorePassword=changeit',
    'appDbPass = "Tr0ub4dor&3"',
  ])
    expect(await maskedIn(text)).toMatch(/= ?"?\[redacted/)
  for (const text of [
    'SSHPASS=$PASSWORD sshpass -e',
    'TESTPASS=12 of 12',
    'BYPASS=always1',
    'compass=N45x22',
    'keyPass: 12',
  ])
    expect(await maskedIn(text)).toBe(text)
})

test('a password that ends in a sign and a password in a sentence are masked', async () => {
  for (const text of ['password = "letmein!"', 'password is hunter2Qx9'])
    expect(await maskedIn(text)).toMatch(/^password (?:is|=) "?\[redacted\]"?$/)
})

test('lines of tests, builds, logs and configuration stay as they are', async () => {
  const changed: string[] = []
  for (const line of INNOCENT_LINES) {
    const masked = await maskedIn(line)
    if (masked !== line) changed.push(`${line} -> ${masked}`)
  }
  expect(INNOCENT_LINES.length).toBeGreaterThanOrEqual(200)
  expect(changed).toEqual([])
})

/** CPU time of a call, in milliseconds. */
async function cpuMs(text: string): Promise<number> {
  const before = process.cpuUsage()
  await maskedIn(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

test('the time of each form over and over is linear in the text', async () => {
  const slow: string[] = []
  for (const form of SECRET_FORMS) {
    const repeated = (bytes: number) => `${form} `.repeat(Math.ceil(bytes / (form.length + 1)))
    // Four times the text takes sixteen times as long if the time is quadratic. Times below 100 ms are noise.
    const isSlow = async () => {
      const whole = await cpuMs(repeated(32_768))
      return whole > 100 && whole > 8 * (await cpuMs(repeated(8_192)))
    }
    if ((await isSlow()) && (await isSlow()) && (await isSlow())) slow.push(form)
  }
  expect(slow).toEqual([])
}, 120_000)
