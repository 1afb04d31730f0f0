// Finds secrets by patterns that the collections of rules lack.
import { isReference, type Secret } from './secret.ts'

/**
 * Kinds that the collections lack or know only in part, with the reason. The secret is group 1, or the whole match if there is no
 * group. A run without an upper bound begins where no other run can begin, so each pattern is linear in the text.
 */
export const PATTERNS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  // The newer `ghs_` has a JWT with dots; routable tokens of GitLab have dots as well.
  ['github', /(?<![A-Za-z0-9])ghs_\w{36,}(?:\.[\w-]{16,})*/dg],
  ['gitlab', /(?<![A-Za-z0-9])gl(?:pat|rt)-[\w-]{20,}(?:\.\w+)*/dg],
  // The collections know some of xox…, each in one form.
  ['slack', /(?<![A-Za-z0-9])(?:xox[a-z]|xapp-\d)[.-][\w%.-]{20,}/dg],
  ['stripe-webhook', /(?<![A-Za-z0-9])whsec_[A-Za-z0-9+/=]{32,}/dg],
  ['google', /(?<![A-Za-z0-9])(?:AIza[\w-]{35}|GOCSPX-[\w-]{28}|1\/\/0[\w-]{40,})/dg],
  ['sendgrid', /(?<![A-Za-z0-9])SG\.[\w-]{22}\.[\w-]{43}/dg],
  ['airtable', /(?<![A-Za-z0-9])pat[A-Za-z0-9]{14}\.[a-f0-9]{64}/dg],
  ['asana', /(?<![\w/.-])[0-2]\/\d{10,20}(?:\/\d{10,20})?:[a-f0-9]{32}/dg],
  ['mailchimp', /-us\d{1,2}(?!\w)(?<=(?<![A-Za-z0-9])([a-f0-9]{32}-us\d{1,2}))/dg],
  ['mailgun', /(?<![A-Za-z0-9-])key-[a-f0-9]{32}(?!\w)/dg],
  ['resend', /(?<![A-Za-z0-9_])re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,}/dg],
  ['discord-bot', /(?<![\w.-])[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,40}/dg],
  ['azure-client', /(?<![\w~.-])[\w~.-]{3,5}[78]Q~[\w~.-]{31,40}/dg],
  ['firebase-messaging', /(?<![\w-])AAAA[\w-]{7}:APA91b[\w-]{100,}/dg],
  ['aws-session-token', /(?<![A-Za-z0-9+/])(?:IQoJb3JpZ2lu|FwoGZXIv)[A-Za-z0-9+/]{80,}={0,2}/dg],
  ['encoded-jwt', /(?<![A-Za-z0-9+/])ZXlK[A-Za-z0-9+/_-]{60,}={0,2}/dg],
  ['vault-legacy', /(?<![\w.$])s\.(?=[A-Za-z]{0,24}\d)[A-Za-z0-9]{24}(?![\w.(])/dg],
  ['crypt-hash', /(?<![\w$])\$(?:[156y]|2[abxy]|apr1|argon2\w{1,2})\$[\w./$=,+-]{20,}/dg],
  // The preset requires one exact length each. These also match other lengths, OAuth tokens of Claude Code,
  // and OpenRouter. Without a known infix, a digit is required: the names of classes may also begin with
  // `sk-`.
  [
    'sk',
    /(?<![A-Za-z0-9])sk-(?:(?:ant|proj|svcacct|admin|or-v1|lf)-[\w-]{20,}|(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{20,})/dg,
  ],
  ['aws-key-id', /(?<![A-Za-z0-9])(?:A3T[A-Z0-9]|A(?:KI|SI|BI|CC)A)[A-Z0-9]{16}(?![A-Za-z0-9])/dg],
  // The secret next to its key id, as in a table of credentials. A commit hash has no capital letters.
  [
    'aws-pair',
    /(?<![A-Za-z0-9])A(?:KI|SI)A[A-Z0-9]{16}(?![A-Za-z0-9])[^\0]{1,120}?(?<![A-Za-z0-9/+=])(?=[a-z0-9/+]{0,39}[A-Z])([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/dg,
  ],
  [
    'aws-secret',
    /(?:secret[_-]?(?:access[_-]?)?key|session[_-]?token)[\\"'\s:=>]{1,12}(?=[A-Za-z]{0,39}[\d/+])([A-Za-z0-9/+=]{40,})/dgi,
  ],
  // A token contains a digit, which excludes `Bearer authentication`.
  ['bearer', /(?<![A-Za-z0-9])[Bb]earer\s{1,8}(?=[\w.~+-]{0,64}\d)([\w.~+-]{16,}[\w.~+/-]*=*)/dg],
  ['azure', /(?:Account|Access|Shared)Key=([A-Za-z0-9+/=]{40,})/dg],
  ['telegram', /:[A-Za-z0-9_-]{35}(?![\w-])(?<=(?<![A-Za-z0-9])((?:bot)?\d{8,10}:[A-Za-z0-9_-]{35}))/dg],
  // A token in the place of the user. A user name is shorter or has no digit.
  ['url-token', /:\/\/(?=[\w-]{0,80}\d)([\w-]{20,255})@/dg],
  // Addresses that are secrets: everyone who knows them may post there.
  ['webhook', /https:\/\/(?:canary\.|ptb\.)?discord(?:app)?\.com\/api\/webhooks\/\d{10,20}\/([\w-]{20,})/dg],
  ['webhook', /https:\/\/[\w.-]{1,80}\.webhook\.office\.com\/(webhookb2\/[\w@/-]{40,})/dg],
  ['webhook', /https:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/-]{20,}/dg],
  ['webhook', /https:\/\/hooks\.zapier\.com\/hooks\/catch\/(\d{3,12}\/[\w/-]{5,})/dg],
  ['webhook', /https:\/\/maker\.ifttt\.com\/trigger\/\w{1,64}\/(?:json\/)?with\/key\/([\w-]{16,})/dg],
  ['webhook', /https:\/\/(?:[\w.-]{1,80}\/)?hooks\/([a-z0-9]{26})(?!\w)/dg],
  [
    'netrc',
    /(?<!\w)(?:login|machine\s{1,8}[\w.-]{1,100})\s{1,8}(?:[^\s\0]{1,100}\s{1,8})?password\s{1,8}([^\s\0]{4,})/dg,
  ],
  [
    'pgpass',
    /(?<![\w.*:/-])[\w.*-]{1,100}:(?:\d{1,5}|\*):[\w.*-]{1,64}:[\w.*-]{1,64}:(?=[^\s\0:]{0,64}\d)([^\s\0:"']{6,})(?![^\s\0"'])/dg,
  ],
  [
    'xml',
    /<(?:password|passwd|passphrase|secret|token|api-?key|secret-?key|private-?key)>\s{0,20}([^<>\0]{6,200})<\//dgi,
  ],
  // biome-ignore format: one line reads better
  ['xml-setting', /\bkey="[\w:.-]{0,60}(?:password|secret|token|apikey)"\s{1,8}value="([^"\0\n]{6,})"/dgi],
  [
    'sql',
    /(?:identified\s{1,4}(?:with\s{1,4}\w{1,40}\s{1,4})?by|(?:with|encrypted)\s{1,4}password|set\s{1,4}password\s{0,4}(?:for\s[^=\0]{1,80}|from)?=?)\s{1,4}'([^'\0\n]{4,})'/dgi,
  ],
  // After other commands a digit is required: `git push -u origin:main`, `docker run -u app:staff`.
  [
    'curl-user',
    /(?:\s-u|--(?:proxy-)?user)(?<=\b(?:curl|wget|https?|xh)\b[^\n\0]{0,300})[\s=]{1,4}["']?[\w.@-]{1,64}:(?!\/\/)([^\s"'`\0]{4,})/dg,
  ],
  [
    'user',
    /(?:\s-u|--user)[\s=]{1,4}["']?[\w.@-]{1,64}:(?!\/\/)(?=[^\s\0]{0,64}\d)(?!\d+(?:\s|$))([^\s"'`\0]{4,})/dg,
  ],
  [
    'mysql',
    /\bmysql(?:dump|admin)?\b[^\n|;&\0]{0,200}?\s-p["']?(?=[^\s\0]{0,40}[\d!@#$%^&*])([^\s"'\0]{6,})/dg,
  ],
  // Settings of servers and networks in the form name, space, value.
  ['server', /(?<![\w-])(?:requirepass|masterauth)[ \t]{1,8}["']?([^\s"'\0]{6,})/dg],
  [
    'line',
    /(?:password|passwd)(?<=(?:^|[\n\0"])[ \t]{0,20}\w{6,8})[ \t]{1,8}["']?(?=[^\s\0]{0,64}\d)(?=[^\s\0]{0,64}[A-Za-z])([^\s"':=\0]{6,})["']?[ \t]{0,8}(?=[\r\n\0]|$)/dg,
  ],
  // In a sentence the word needs a digit, a lowercase letter, and a capital or sign: not `the password is base64url`.
  [
    'sentence',
    /(?<![A-Za-z])(?:[Pp]assword|[Pp]asswort|[Pp]assphrase|[Pp]asscode)\s{1,4}(?:is|was|ist|war)\s{1,4}["'`]?(?=[^\s\0]{0,64}\d)(?=[^\s\0]{0,64}[a-z])(?=[^\s\0]{0,64}[A-Z!@#$%^&*])([\w!@#$%^&*~+/=-]{6,})/dg,
  ],
  ['wifi', /(?<![\w-])(?:psk|wpa_passphrase)\s{0,4}=\s{0,4}["']?([^\s"'\0]{8,63})/dg],
  ['oracle', /(?:\bjdbc:oracle:\w{1,10}:|\bsqlplus\s{1,4})[\w$#]{1,40}\/([^\s@"'`\0]{4,})@/dg],
  ['openssl', /\s-pass(?:in|out)?\s{1,4}["']?pass:([^\s"'\0]{4,})/dg],
  ['sshpass', /\bsshpass\s{1,4}-p\s{0,4}["']?([^\s"'\0]{4,})/dg],
  ['redis-cli', /\bredis-cli\b[^\n|;&\0]{0,120}?\s(?:-a|--pass)\s{1,4}["']?([^\s"'\0]{4,})/dg],
  // Session cookies outside of their header.
  [
    'session',
    /(?<![A-Za-z0-9])(?:_[a-z]{2,30}_session|connect\.sid|PHPSESSID|JSESSIONID|ASP\.NET_SessionId)=([\w%.+/-]{16,})/dg,
  ],
  [
    'php-define',
    /\bdefine\(\s{0,4}["']\w{0,60}(?:PASS|SECRET|KEY|TOKEN|SALT)\w{0,20}["']\s{0,4},\s{0,4}["']([^"'\n\0]{6,})/dg,
  ],
  ['jwk', /"(?:d|p|q|dp|dq|qi|k)"\s{0,4}:\s{0,4}"([\w-]{40,})"/dg],
  ['npm-login', /:_(?:authToken|auth|password)=["']?([^\s"'`<>\0]+)/dg],
  // OAuth 1 and signatures of requests, after any name of a scheme.
  ['signature', /(?<!\w)(?:oauth_signature|Signature|oauth_token)="?([A-Za-z0-9+/%=_-]{20,})"?/dg],
]

export function* findByPatterns(content: string): Generator<Secret> {
  for (const [kind, pattern] of PATTERNS) {
    if (content.search(pattern) === -1) continue // the usual case; matchAll would copy the pattern first
    for (const match of content.matchAll(pattern)) {
      const range = match.indices?.[1] ?? match.indices?.[0]
      if (range === undefined || isReference(content.slice(...range))) continue
      yield { kind, start: range[0], end: range[1] }
    }
  }
}

/** Begins at the middle. From the front, a run of `eyJeyJeyJ…` would be read again from every `eyJ`. */
const JWT = /\.eyJ(?<=(eyJ[\w-]{8,})\.eyJ)[\w-]{8,}\.[\w-]{16,}/g

export function* findJwts(content: string): Generator<Secret> {
  for (const match of content.matchAll(JWT)) {
    const header = match[1] ?? ''
    yield { kind: 'jwt', start: match.index - header.length, end: match.index + match[0].length }
  }
}
