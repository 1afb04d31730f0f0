// Finds secrets in command lines: values of flags, assignments to a store of secrets, and input that is piped into a login.
import { isMixed, isPlaceholder, isReference, type Secret } from './secret.ts'

type CommandForm = Readonly<{
  /** The form applies only if the rest of the command matches. */
  when?: RegExp
  /** Flags whose value is a secret: `-p S`, `-pS`, `--password=S`. */
  flags?: readonly string[]
  /** Flags whose value is a user and a secret: `-u anna:S`, `-U anna%S`. */
  userFlags?: readonly string[]
  /** Every `NAME=S` is a secret, also behind `--from-literal`. */
  assignments?: boolean
  /** Names whose next word is a secret: `password S`. */
  names?: RegExp
  /** Place of the secret among the words that are not flags, from 1; -1 is the last one. */
  position?: number
}>

const FORMS: readonly (readonly [commands: string, form: CommandForm])[] = [
  [
    'docker podman nerdctl buildah skopeo helm oras crane',
    { when: /\slogin(?:\s|$)/, flags: ['-p', '--password'] },
  ],
  ['az', { when: /^\s+login\b/, flags: ['-p', '--password'] }],
  ['az', { when: /\bsecret set\b/, flags: ['--value'] }],
  ['aws', { when: /\bSecureString\b|\bsecretsmanager\b/, flags: ['--value', '--secret-string'] }],
  ['gh', { when: /^\s+secret set\b/, flags: ['-b', '--body'] }],
  ['glab', { when: /^\s+variable (?:set|update)\b/, flags: ['-v', '--value'], position: 4 }],
  ['kubectl oc', { when: /\bcreate secret\b/, assignments: true }],
  ['vault bao', { when: /^\s+(?:kv\s+)?(?:put|patch|write)\b/, assignments: true }],
  ['vault bao', { when: /^\s+login\s+[^=]+$/, position: 2 }],
  [
    'heroku fly flyctl doppler railway',
    { when: /\bconfig:set\b|\bsecrets? set\b|\bvariables? set\b/, assignments: true },
  ],
  ['ldapsearch ldapmodify ldapadd ldapdelete ldapwhoami ldappasswd ldapcompare', { flags: ['-w'] }],
  ['mongo mongosh mongodump mongorestore mongoimport mongoexport', { flags: ['-p'] }],
  ['cqlsh twine psexec PsExec useradd usermod 7z 7za 7zr', { flags: ['-p'] }],
  ['sqlcmd bcp osql ipmitool zip unzip', { flags: ['-P'] }],
  ['snmpwalk snmpget snmpset snmpbulkwalk', { flags: ['-A', '-X'] }],
  ['openssl', { flags: ['-k', '-K'] }],
  [
    'keytool jarsigner apksigner',
    {
      flags: [
        '-keypass',
        '-storepass',
        '-srcstorepass',
        '-deststorepass',
        '-srckeypass',
        '-destkeypass',
        '-new',
      ],
    },
  ],
  ['ConvertTo-SecureString', { flags: ['-String'], position: 1 }],
  ['curl wget http https xh', { userFlags: ['-u', '--user', '-a', '--auth', '-U', '--proxy-user'] }],
  ['smbclient rpcclient smbget smbmap net', { userFlags: ['-U', '--user'] }],
  ['net', { when: /^\s+use\b.*\/user:/i, position: -1 }],
  ['htpasswd', { when: /\s-[a-zA-Z]*b/, position: -1 }],
  ['wpa_passphrase', { position: 2 }],
  ['nmcli rclone', { names: /^(?:password|psk|pass|token|secret_access_key|client_secret|key)$/ }],
  ['npm pnpm yarn', { when: /^\s+config set\b/, names: /:_(?:authToken|auth|password)$/ }],
]

const BY_COMMAND = new Map<string, CommandForm[]>()
for (const [commands, form] of FORMS) {
  for (const command of commands.split(' '))
    BY_COMMAND.set(command, [...(BY_COMMAND.get(command) ?? []), form])
}

const COMMAND = new RegExp(`(?<![\\w.-])(${[...BY_COMMAND.keys()].join('|')})(?=[ \\t])`, 'g')

/** Maximum length of a command, so that the time is linear in the text. */
const MAX_COMMAND = 400
const MAX_WORDS = 40

const BLANKS = /[ \t]*(?:\\\r?\n[ \t]*)?/y
/** A word of a shell: a sequence of quoted and unquoted parts. */
const WORD = /(?:\\{0,4}"[^"\n\0]*"|\\{0,4}'[^'\n\0]*'|\\[^\n\0]|[^\s"'`|;&<>()\\\0])+/y

type Word = Readonly<{ text: string; start: number }>

/** Finds secrets by the commands that take them. Commands in a line share words: each is read once, and examined once per form. */
export function* findCommandSecrets(content: string): Generator<Secret> {
  const read = createWordReader(content)
  const examined = new Map<CommandForm, Set<number>>()
  for (const { 1: command = '', index } of content.matchAll(COMMAND)) {
    const { words, rest } = readWords(content, index + command.length, read)
    for (const form of BY_COMMAND.get(command) ?? []) {
      if (form.when !== undefined && !form.when.test(rest)) continue
      const starts = examined.get(form) ?? new Set()
      examined.set(form, starts)
      for (const word of selectWords(words, form, starts)) yield* toSecret(word)
    }
  }
  yield* findPiped(content)
  yield* findHereStrings(content)
}

/** Reads the next word at or after a position. Returns null at the end of a command. */
type WordReader = (at: number) => Word | null

function createWordReader(content: string): WordReader {
  const known = new Map<number, Word | null>()
  return (at) => {
    const cached = known.get(at)
    if (cached !== undefined) return cached
    BLANKS.lastIndex = at
    BLANKS.test(content)
    const start = Math.max(BLANKS.lastIndex, at)
    WORD.lastIndex = start
    const match = WORD.exec(content)
    const word = match === null ? null : { text: match[0], start }
    known.set(at, word)
    return word
  }
}

function readWords(content: string, from: number, read: WordReader): { words: Word[]; rest: string } {
  const words: Word[] = []
  let at = from
  while (words.length < MAX_WORDS && at < from + MAX_COMMAND) {
    const word = read(at)
    if (word === null) break
    words.push(word)
    at = word.start + word.text.length
  }
  return { words, rest: content.slice(from, at) }
}

/** @param examined starts of words that were already examined together with their next word; more are added */
function* selectWords(words: readonly Word[], form: CommandForm, examined: Set<number>): Generator<Word> {
  const { flags = [], userFlags = [], names, position, assignments = false } = form
  for (const [i, word] of words.entries()) {
    const next = words[i + 1]
    if (examined.has(word.start)) continue
    if (next !== undefined) examined.add(word.start) // the last word of a long command is examined again with its next word
    for (const flag of flags) {
      const value = valueOfFlag(word, flag, next)
      if (value !== null) yield value
    }
    for (const flag of userFlags) {
      const value = endsInFlag(word, flag) ? next : valueOfFlag(word, flag, next)
      if (value) yield* secretOfUser(value)
    }
    if (names?.test(unquote(word).text) && next !== undefined) yield next
    if (assignments) yield* assignedTo(word)
  }
  if (position !== undefined) {
    const plain = words.filter(({ text }) => !text.startsWith('-'))
    const found = position === -1 ? plain.at(-1) : plain[position - 1]
    if (found !== undefined && plain.length > 0) yield found
  }
}

function valueOfFlag(word: Word, flag: string, next: Word | undefined): Word | null {
  if (word.text === flag) return next ?? null
  if (!word.text.startsWith(flag)) return null
  const glued = word.text.slice(flag.length)
  const isLong = flag.length > 2
  if (isLong && !glued.startsWith('=')) return null
  const skipped = flag.length + (glued.startsWith('=') ? 1 : 0)
  return { text: word.text.slice(skipped), start: word.start + skipped }
}

/** Checks for a flag. Short flags may share a dash: `-sSu anna:S`. */
const endsInFlag = ({ text }: Word, flag: string): boolean =>
  flag.length === 2 && /^-[A-Za-z]{2,8}$/.test(text) && text.endsWith(flag.slice(1))

/** Finds the secret in a user and password: `anna:S`, `S:`, `DOMAIN/anna%S`. */
function* secretOfUser(given: Word): Generator<Word> {
  const { text, start } = unquote(given)
  const at = text.search(/[:%]/)
  if (at === -1) return
  const isTokenAlone = at === text.length - 1
  if (isTokenAlone && isMixed(text)) yield { text: text.slice(0, at), start }
  else if (!isTokenAlone && !text.slice(at + 1).startsWith('//'))
    yield { text: text.slice(at + 1), start: start + at + 1 }
}

function* assignedTo(given: Word): Generator<Word> {
  const { text, start } = unquote(given)
  const [assigned, flag = '', name = ''] = /^(--from-literal=["']?)?([\w./-]{1,80}=)/.exec(text) ?? []
  if (assigned === undefined || name.startsWith('-')) return
  const value = { text: text.slice(assigned.length), start: start + flag.length + name.length }
  if (isMixed(value.text)) yield value
}

function unquote({ text, start }: Word): Word {
  const [opening = ''] = /^\\{0,4}["']/.exec(text) ?? []
  const [closing = ''] = opening === '' ? [] : (/\\{0,4}["']$/.exec(text.slice(opening.length)) ?? [])
  return { text: text.slice(opening.length, text.length - closing.length), start: start + opening.length }
}

const MIN_LENGTH = 4

/** A variable, a file or a flag refers to a secret and does not contain its value. */
const ELSEWHERE = /^(?:\$|-|@|<|%[A-Za-z]|\/dev\/|(?:env|file|fd|stdin):?)/

function* toSecret(word: Word): Generator<Secret> {
  const { text, start } = unquote(word)
  if (text.length < MIN_LENGTH || ELSEWHERE.test(text) || isReference(text) || isPlaceholder(text)) return
  yield { kind: 'command', start, end: start + text.length }
}

/** `echo S | docker login --password-stdin` */
const PIPED =
  /\b(?:echo|printf)[ \t]{1,4}(?:-[neE]{1,3}[ \t]{1,4}|["']?%s(?:\\n)?["']?[ \t]{1,4}){0,2}("[^"\n\0]{1,200}"|'[^'\n\0]{1,200}'|[^\s"'|;&<>\0]{1,200})[ \t]{0,4}\|[ \t]{0,4}([^|\n\0]{0,200})/dg
const TAKES_SECRET =
  /--password-stdin|--with-token|\bsecrets? (?:set|put|create)\b|\bsecrets versions add\b|\bsudo\s+-\w*S|\bchpasswd\b|\bpasswd --stdin|\bvault login\b/

function* findPiped(content: string): Generator<Secret> {
  for (const { 1: value = '', 2: consumer = '', indices } of content.matchAll(PIPED)) {
    if (!TAKES_SECRET.test(consumer)) continue
    const word = { text: value, start: indices?.[1]?.[0] ?? 0 }
    if (/\bchpasswd\b/.test(consumer)) for (const secret of secretOfUser(word)) yield* toSecret(secret)
    else yield* toSecret(word)
  }
}

/** `wrangler secret put KEY <<< S` */
const HERE_STRING = /<<<[ \t]{0,4}("[^"\n\0]{1,200}"|'[^'\n\0]{1,200}'|[^\s"'|;&<>\0]{1,200})/dg

function* findHereStrings(content: string): Generator<Secret> {
  for (const { 1: value = '', index, indices } of content.matchAll(HERE_STRING)) {
    const before = content.slice(Math.max(0, index - 120), index)
    if (/(?:secret|login|passw|token)[^\n\0]*$/.test(before))
      yield* toSecret({ text: value, start: indices?.[1]?.[0] ?? 0 })
  }
}

/** The forms that scripts/python-secrets.ts writes for the Python client. */
export const COMMAND_FORMS = {
  BLANKS,
  COMMAND_WORD: WORD,
  COMMAND,
  ELSEWHERE,
  PIPED,
  TAKES_SECRET,
  HERE_STRING,
}
export const FORMS_BY_COMMAND = FORMS
