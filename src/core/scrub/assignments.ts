// Finds secrets by the name of the variable, field or option that they are assigned to.
import { isMixed, isPlaceholder, isReference, type Secret } from './secret.ts'

/**
 * Finds secrets by the names that they are assigned to: variables, fields of JSON, YAML, TOML and properties,
 * connection strings, query strings, headers, options of commands. A single scan finds the names. The value
 * after a name is read by the syntax around it and judged by how clearly the name means a secret.
 */
export function* findAssignments(content: string): Generator<Secret> {
  NAME.lastIndex = 0
  const ends = new Ends(content)
  for (let match = NAME.exec(content); match !== null; match = NAME.exec(content)) {
    const name = readName(content, match)
    if (name === null) continue
    const value = readValue(content, NAME.lastIndex, name, ends)
    if (value === null || !isSecretValue(value, name)) continue
    yield { kind: 'assignment', start: value.start, end: value.end }
    NAME.lastIndex = value.end
  }
}

/** The end of a name, and the sign or the space before its value. */
const NAME = new RegExp(
  [
    // The word that means a secret, and the suffixes that may follow it within the name.
    '(pass(?:word|wd|phrase|code)?|passwort|pwd|secret|token|credentials?|api_?key|key|auth|signature|sig|code|jwt|pat)',
    '((?:[_-]?(?:base(?:64)?|b64|value|string|prod|production|dev|test|staging|live|old|new|primary|secondary|hash|\\d{1,3}))?)',
    // A closing quote and bracket; a sign. Options, `setx` and `ENV` have a space instead of a sign.
    `(\\\\{0,4}["'\`])?\\]?(?:([ \\t]{0,20}(?:=>|:=|:-|\\|\\|=|\\?\\??=|==?|:)[ \\t]{0,20}(?:[|>][+-]?[ \\t]{0,4}\\r?\\n[ \\t]{1,20})?)|[ \\t]{1,4}(?=["'\`\\w/+$!-]))`,
  ].join(''),
  'gi',
)

type Name = Readonly<{
  /** The whole name: `spring.datasource.password`. */
  text: string
  word: string
  /** The name always means a secret, whatever the value looks like. */
  isStrong: boolean
  /** The name is a key of the record, not part of a text. The whole text after it is its value. */
  isKey: boolean
  sign: string
  /** No space around the sign, which is unusual in programs: `spring.password=x`. */
  isTight: boolean
  /** `line`: a variable, up to the next space. `default`: `${NAME:-value}`. `pair`: in a connection string. `query`: in an address. */
  place: 'line' | 'pair' | 'query' | 'option' | 'field' | 'default' | 'other'
}>

/** Names that end in `key` or `token` and do not hold a secret. */
const PUBLIC_NAME =
  /(?:public|natural|surrogate|composite|business|dedup(?:e|lication)?|shard|hash|ref|record|entity|node|column|field|property|primary|foreign|sort|partition|cache|group|unique|map|row|index|idempotency|routing|hot|shift|ctrl|alt|meta|page|next|previous|prev|continuation|cancel(?:lation)?|max|min|csrf_?field|range|object|s3|file|config|i18n|translation|storage_?account|host|known|ssh_?host|data|item|parent|child|react|query|search|lookup|order|trace|event|message|error|status|exit|response|zip|postal|country|language|lang|currency|http|reason|area|source|qr|bar|color|colour|char|token_?type|public_?key)[_.-]?(?:key|token|code|auth|sig|salt)$/i

export const isPublicName = (name: string): boolean => PUBLIC_NAME.test(name)
export const isStrongName = (name: string): boolean => STRONG.test(name)

const STRONG =
  /pass(?:word|wd|phrase|code)$|passwort$|pwd$|secret$|(?:api|access|secret|private|encryption|encrypt|signing|sign|master|account|shared|license|service|storage|subscription|admin|app|session|aes|hmac|jwt|auth|client)[_.-]?key$|(?:access|auth|refresh|id|api|bot|session|security|private|personal|bearer|vault|service|deploy|ci|job|registry|npm|github|gitlab|slack|secret|user)[_.-]?token$|[_.-](?:pass|pat)$|(?:ssh|db|pg|postgres|mysql|mongo|redis|ldap|smtp|imap|mail|ftp|root|admin|user|key|store)pass$|^pat$|client[_.-]?secret$|credentials?$/i

function readName(content: string, match: RegExpExecArray): Name | null {
  const [, word = '', suffix = '', quote, sign = ''] = match
  const before = content.slice(Math.max(0, match.index - 80), match.index)
  const [head = ''] = /[\w.$-]*$/.exec(before) ?? []
  // Rejects words within other words (`compass=`, `monkey:`), but not `dbPassword`, `PGPASSWORD` and `apikey`.
  const isWhole = /(?:^|[^A-Za-z])$/.test(head) || /^[A-Z]/.test(word)
  const lower = word.toLowerCase()
  const text = head + word
  if (!isWhole && !/^(?:pass(?:w|p)|pwd|secret|token|api)/.test(lower) && !isStrongName(text)) return null
  if (PUBLIC_NAME.test(text)) return null
  const around = before.slice(0, before.length - head.length)
  if (TEST_TITLE.test(around)) return null
  const place = findPlace({ around, head, quote, sign, text, suffix })
  if (place === null) return null
  const isKey = quote === '"' && sign === ':' && /(?:^|\0\n)[^"\n]{0,60}$/.test(around)
  return {
    text,
    word: lower,
    isStrong: STRONG.test(text),
    isKey,
    sign: sign.trim(),
    isTight: isTight(text, sign),
    place,
  }
}

/** The title of a test contains invented values: `it('rejects a wrong password: abc123')`. */
const TEST_TITLE = /(?<![\w$])(?:it|test|describe)(?:\.\w{1,10})?\([ \t]{0,4}(["'`])(?:(?!\1)[^\n\0])*$/

const isTight = (name: string, sign: string): boolean =>
  !/[ \t]/.test(sign) && !/^(?:this|self|[a-z]{1,2})\./.test(name)

type Surroundings = Readonly<{
  around: string
  head: string
  quote: string | undefined
  sign: string
  text: string
  suffix: string
}>

function findPlace({ around, head, quote, sign, text, suffix }: Surroundings): Name['place'] | null {
  if (sign === '') {
    // `--password x`, `setx API_KEY x`, `ENV DB_PASS x`, `aws configure set aws_secret_access_key x`
    if (quote !== undefined) return null
    if (/^--?[a-z]/i.test(head) || /^--?$/.test(head)) return 'option'
    return /(?:\bsetx|\bset -\w{1,4}|\bENV|\bset-secret|configure set|\bconfig set|\bsetenv)[ \t]{1,4}["'\w.:/-]{0,60}$/.test(
      around,
    ) && /^[A-Za-z]/.test(text)
      ? 'option'
      : null
  }
  // `-Dstorepass=x` sets a variable of Java or of a build.
  if (/^-D/.test(head) && sign === '=') return 'line'
  if (/^--?[A-Za-z]/.test(head)) return 'option'
  if (quote !== undefined) return 'field'
  if (around.endsWith('${')) return 'default'
  if (!/=/.test(sign)) return 'other'
  if (/[?&#]$/.test(around) || /&amp;$/.test(around)) return 'query'
  if (/[;{"'][ \t]{0,4}$/.test(around) && !/^[A-Z\d_]+$/.test(text)) return 'pair'
  if (/;[ \t]{0,4}[\w ]{0,20}$/.test(around) && !/^[A-Z\d_]+$/.test(text)) return 'pair'
  const isVariable = /^[A-Z][A-Z\d_]*$/.test(text + suffix) && !/[ \t]/.test(sign)
  const beginsLine = /(?:^|\n)[ \t]{0,8}$/.test(around)
  return isVariable || beginsLine || SETS_VARIABLE.test(around) ? 'line' : 'other'
}

/** Only variables follow `export`, `$env:`, `set` and `-e`, also within quotes or after another command. */
const SETS_VARIABLE = /(?<![\w$-])(?:export[ \t]{1,4}|\$env:|set[ \t]{1,4}(?:"|-x )?|-e[ \t]{1,4})$/

/** `text` is the first kilobyte of the value, by which it is judged. */
type Value = Readonly<{ text: string; start: number; end: number; quoted: boolean }>

const MAX_JUDGED_LENGTH = 1_024

/** Python marks some strings with a letter: `b'…'`. */
const OPENING = /(?:[bru]{1,2}(?=["']))?(\\{0,4})(["'`])/y
/** `password: string = '…'` */
const TYPE = /[A-Za-z_][\w<>|. ]{0,40}=[ \t]{0,4}(?=["'`])/y
const BRACED = /\{((?:[^{}\0\n]|\}\}){1,200})\}(?!\})/y

/** The characters of an unquoted value. */
const WORD = /[^\s"'`\0]+/y
const RUNS: Partial<Record<Name['place'], RegExp>> = {
  pair: /[^;"'`\r\n\0]+/y,
  query: /[^\s&"'`<>#\0;]+/y,
  default: /[^\s}"'`\0]+/y,
}

function readValue(content: string, at: number, name: Name, ends: Ends): Value | null {
  const opening = matchAt(OPENING, content, at)
  if (opening !== null) {
    const [mark, backslashes = '', quote = ''] = opening
    const start = at + mark.length
    const end = name.isKey ? ends.endOfText(start) : closing(content, start, backslashes + quote, ends)
    return sliceValue(content, start, end, true)
  }
  const type = name.sign === ':' ? matchAt(TYPE, content, at) : null
  if (type !== null) return readValue(content, at + type[0].length, { ...name, sign: '=' }, ends)
  const braced = name.sign === '=' ? matchAt(BRACED, content, at) : null
  if (braced !== null && (name.place === 'pair' || isMixed(braced[1] ?? ''))) {
    return { text: braced[1] ?? '', start: at, end: at + braced[0].length, quoted: true }
  }
  return sliceValue(content, at, unquotedEnd(content, at, name, ends), false)
}

const sliceValue = (content: string, start: number, end: number, quoted: boolean): Value | null =>
  end <= start
    ? null
    : { text: content.slice(start, Math.min(end, start + MAX_JUDGED_LENGTH)), start, end, quoted }

function matchAt(pattern: RegExp, content: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(content)
}

/** Returns the end of a quoted value: the closing quote. An unclosed value ends with its line or text. */
function closing(content: string, start: number, mark: string, ends: Ends): number {
  const textEnd = ends.endOfText(start)
  for (let at = ends.next(mark, start); at < textEnd; at = ends.next(mark, at + 1)) {
    let before = 0
    while (content[at - 1 - before] === '\\') before++
    if (before % 2 === 0) return at
  }
  return Math.min(ends.next('\n', start), textEnd)
}

/** Matches the sign before the next parameter. */
const NEXT = /[;&,](?=[A-Za-z_][\w.-]{0,40}=)/g

/** Returns the end of an unquoted value, without the signs that close the sentence or command around it. */
function unquotedEnd(content: string, start: number, { place, isStrong }: Name, ends: Ends): number {
  // Only passwords have spaces.
  const run = place === 'pair' && !isStrong ? WORD : (RUNS[place] ?? WORD)
  const end = ends.endOfRun(run, start)
  const head = content.slice(start, Math.min(end, start + MAX_JUDGED_LENGTH))
  const next = place === 'line' ? end : ends.nextParameter(start)
  if (next < start + head.length) return next
  const tail = content.slice(Math.max(start, end - 16), end)
  const closers = /[([{<]/.test(head) ? /[,;]+$/ : /[,;)\]}>.:]+$/
  return end - (closers.exec(tail)?.[0].length ?? 0)
}

/** Finds the ends of marks and runs. Each is searched once for all values, so the time stays linear in the text. */
class Ends {
  readonly #content: string
  readonly #marks = new Map<string, number>()
  readonly #runs = new Map<RegExp, number>()
  #nextParameter = -1

  constructor(content: string) {
    this.#content = content
  }

  /** @param start increases from call to call */
  next(mark: string, start: number): number {
    const cached = this.#marks.get(mark)
    if (cached !== undefined && cached >= start) return cached
    const at = this.#content.indexOf(mark, start)
    const found = at === -1 ? this.#content.length : at
    this.#marks.set(mark, found)
    return found
  }

  endOfText(start: number): number {
    return this.next('\n\0', start)
  }

  endOfRun(run: RegExp, start: number): number {
    const known = this.#runs.get(run)
    if (known !== undefined && known > start) return known
    run.lastIndex = start
    const end = run.test(this.#content) ? run.lastIndex : start
    this.#runs.set(run, end)
    return end
  }

  /** @param start increases from call to call */
  nextParameter(start: number): number {
    if (this.#nextParameter < start) {
      NEXT.lastIndex = start
      this.#nextParameter = NEXT.exec(this.#content)?.index ?? this.#content.length
    }
    return this.#nextParameter
  }
}

/** Matches an expression of a program in the place of a value. */
const CODE =
  /^(?:new |await |typeof |return |function\b|async |[([!]|\{[^}]*$|&[a-z]|\d*\]|(?:process|os|env|ENV|config|cfg|settings|secrets|self|this|var|local|data|vars|inputs|github|steps|props|options|opts|params|args|req|request|ctx|context|state|user|event|body|input|result|response|window|import)[.[])|(?<![\w$])[A-Za-z_$][\w$]*(?:\(|\[|\?\.|!\.|![[.]|::|->)|=>|\]=|\.\.\./

/** Digits in names of programs: `base64EncodedTicket`, `usage$1`. */
const NAME_DIGITS =
  /base(?:64|32)|utf-?(?:8|16)|u?int\d{1,3}|float\d{2}|sha-?\d{1,3}|md5|oauth2|x509|s3|ec2|k8s|i18n|\$\d|v\d(?![A-Za-z\d])/gi
/** Matches a word or a name in a program: `Passwort`, `access_token`, `user-defined`, `Record<string>`, `NodeJS.Timeout`. */
const IDENTIFIER =
  /^[@#._$]*(?:[A-Za-z][a-z]*(?:[A-Z]{1,2}[a-z]+)*(?:[A-Z]{2,5}(?![A-Za-z\d]))?(?:[_./:$-]+(?:[A-Za-z][a-z]*(?:[A-Z]{1,2}[a-z]+)*(?:[A-Z]{2,5}(?![A-Za-z\d]))?|[A-Z]{2,})|[_-]?\d(?!\d))*|[A-Z]+(?:_[A-Z\d]+)*)(?:\[\]|[?!.])*(?:[<|].*)?$/
const PROSE_WORD =
  /^[("'“‘[*_-]*(?:(?:\p{Lu}{2,6}-)?\p{L}?[\p{Ll}\p{Lo}\p{M}’'-]*|\p{Lu}+|\d{1,4})[.,:;!?)"'”’\]*_%s-]*$/u

/** The characters of tokens. A password may contain any character. */
const TOKEN = /^[\w.~+/=:%-]+$/

/** Checks whether a text looks random and has only the characters of tokens. */
export const isToken = (text: string): boolean => TOKEN.test(text) && isRandom(text) && !UUID.test(text)

function isSecretValue({ text, quoted }: Value, name: Name): boolean {
  const shortest = name.place === 'pair' || name.place === 'query' ? 3 : 6
  if (text.length < shortest || isReference(text) || text.includes('[redacted')) return false
  if (isPlaceholder(text) || /^\$[({A-Za-z]/.test(text)) return false
  if (isPublicValue(text, name)) return false
  if (/^(?:code|sig)$/.test(name.word) && name.place !== 'query' && name.place !== 'pair') return false
  // Scripts without capitals write sentences without spaces: `"pass": "所有必需的属性都已存在"`.
  if (name.word === 'pass' && /\p{Lo}{2}/u.test(text)) return false
  if (/\s/.test(text)) return isPhrase(text, quoted, name)
  if (!quoted && isCode(text, name)) return false
  if (name.word === 'token' && name.place === 'line' && name.isTight && /^[A-Z\d_]+$/.test(name.text))
    return !isPath(text)
  if (!quoted && !name.isStrong && /\.[a-z]{2,20}$/.test(text)) return false // `auth_1.default`
  if (!name.isStrong)
    return (
      TOKEN.test(text) &&
      isRandom(text) &&
      text.length >= (name.word === 'key' || name.word === 'code' ? 16 : 10)
    )
  if (name.place === 'pair' || name.place === 'query') return true
  if (name.place === 'line' && name.isTight) return !isPath(text)
  // `password = "letmein!"` is a secret. After a colon it is a message: `password: "Required!"`.
  return isRandom(text) || (quoted && name.sign === '=' && ENDS_IN_SIGN.test(text))
}

const ENDS_IN_SIGN = /^[a-z]+[!@#$%^&*]+$/
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
/** Two words of letters in a row: `node-modules-Linux-3f9a8b7c`. */
const WORDS = /(?:^|[-_:/])[A-Za-z]{3,}[-_:/][A-Za-z]{3,}(?:[-_:/]|$)/
/** At least 16 characters of tokens, both letters and digits. */
const KEY_FORM = /^(?=.{0,64}\d)(?=.{0,64}[A-Za-z])[\w.~+=/-]{16,}$/
const WORKING_FOLDER = /^(?:OLD)?PWD$/
/** Names of methods that hash or send credentials. */
const METHOD = /^(?:pbkdf2_\w+|bcrypt\w*|argon2\w*|scrypt|include|same-origin|omit)[,;)]?$/i

/** Checks for a public value: a working folder, the result of a test after `pass`, or, only for `key`, a UUID or words. */
function isPublicValue(text: string, { text: name, place, isTight, sign, isKey }: Name): boolean {
  if (METHOD.test(text)) return true
  if (WORKING_FOLDER.test(name)) return /^(?:[~./]|[A-Za-z]:)/.test(text)
  if (/^(?:session[_.-]?)?key$/i.test(name))
    return !KEY_FORM.test(text) || UUID.test(text) || WORDS.test(text)
  if (!/^pass$/i.test(name)) return false
  const isSetting = isKey || place !== 'line' || (isTight && sign === '=')
  return !isSetting || /^[A-Z][A-Za-z]*-?\d+$|^\d+$/.test(text) || (sign !== '=' && place === 'other')
}

/** Programs rarely set environment variables, and such a value may contain any sign. Only a call counts as code there. */
function isCode(text: string, { place, isTight, isStrong }: Name): boolean {
  if (place !== 'line' || !isTight || !isStrong) return CODE.test(text)
  const [, called] = CALL.exec(text) ?? []
  return called !== undefined && IDENTIFIER.test(called.replace(NAME_DIGITS, 'x'))
}

const CALL = /^(?:new |await )?([A-Za-z_$][\w$.]*)(?:\(|\[|\?\.|!\.|::|->)/

/** Checks for a path of names: `process.env.TOKEN`, `settings.SECRET_KEY`. */
const isPath = (text: string): boolean =>
  /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/.test(text) && IDENTIFIER.test(text)

/** Checks for a secret with spaces: in a connection string, in a quoted variable, or if half of its words are not prose. */
function isPhrase(text: string, quoted: boolean, name: Name): boolean {
  if (!name.isStrong || text.length > 200) return false
  if (name.place === 'pair') return true
  if (!quoted) return false
  if (name.place === 'line' && /^[A-Z]/.test(name.text)) return true
  const words = text.trim().split(/\s+/)
  return words.filter((word) => !PROSE_WORD.test(word)).length * 2 >= words.length
}

/** Checks for digits or signs between letters. Excludes words, paths, versions and short numbers. */
export function isRandom(text: string): boolean {
  if (/^[\d.,:_-]+$/.test(text)) return /^\d{6,}$/.test(text)
  if (
    /^(?:\.{0,2}\/|[a-z]+:\/\/|~\/)/.test(text) ||
    /\.(?:[jt]sx?|json|ya?ml|md|py|go|pem|key|txt|env|sh)$/.test(text)
  )
    return false
  if (/\/.*\.[a-z]{1,5}(?:[:#?]|$)/.test(text)) return false // a file
  const plain = text.replace(NAME_DIGITS, 'x')
  if (IDENTIFIER.test(plain)) return false
  return /\d/.test(text) || /[a-z][A-Z].*[a-z][A-Z]/.test(text) || /[A-Za-z][!@#$%^&*~+?][A-Za-z]/.test(text)
}

/** The forms that scripts/python-secrets.ts writes for the Python client. */
export const ASSIGNMENT_FORMS = {
  NAME,
  ENDS_IN_SIGN,
  TEST_TITLE,
  PUBLIC_NAME,
  STRONG,
  SETS_VARIABLE,
  OPENING,
  TYPE,
  BRACED,
  WORD,
  RUN_OF_PAIR: RUNS.pair ?? WORD,
  RUN_OF_QUERY: RUNS.query ?? WORD,
  RUN_OF_DEFAULT: RUNS.default ?? WORD,
  NEXT,
  CODE,
  NAME_DIGITS,
  IDENTIFIER,
  TOKEN,
  UUID,
  WORDS,
  KEY_FORM,
  METHOD,
  WORKING_FOLDER,
  CALL,
}
