import type { Actor } from './actors.ts'

// Headers added to the valid ones, so that two readers may see two different callers. They use only
// public names of the owner, never its secrets.

export type Headers = [name: string, value: string][]

export interface Cast {
  /** Who sends the call; undefined for nobody. */
  readonly own: Actor | undefined
  /** Another actor whose proof is valid at that time. */
  readonly other: Actor
  readonly victim: Actor
  /** Profile ids of sub-accounts: `child` is the partner's, `ward` is the victim's. */
  readonly child: string
  readonly ward: string
}

export type Smuggle = (headers: Headers, cast: Cast, number: number) => Headers

const KEY = 'svc-api-key'
const BEHALF = 'x-on-behalf-of'
const PROOF = /^svc-(api-key|timestamp|signature)$/

function utf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

function mapped(headers: Headers, change: (name: string, value: string) => string[]): Headers {
  return headers.map(([name, value]) => {
    const [changedName, changedValue] = change(name, value)
    return [changedName, changedValue]
  })
}

/** Spellings of a number that some reader may accept for it. */
function spelled(id: string, number: number): string {
  const wide = [...id].map((digit) => String.fromCharCode(0xff10 + Number(digit))).join('')
  const forms = [
    `+${id}`,
    `${id}.0`,
    `0${id}`,
    `0x${Number(id).toString(16)}`,
    `${id}e0`,
    ` ${id} `,
    `\t${id}`,
    `${id},`,
    `${id}, ${id}`,
    `"${id}"`,
    `${id}\u00a0`,
    wide,
    `${id}\u200b`,
    `${2 ** 32 + Number(id)}`,
    `-${id}`,
    `${id};`,
    `[${id}]`,
    `${id}n`,
    '9'.repeat(300),
  ]
  return utf8(forms[number % forms.length])
}

export const SMUGGLES: Readonly<Record<string, Smuggle>> = {
  keyAfter: (headers, { victim }) => [...headers, [KEY, victim.trader.tokenId]],
  keyBefore: (headers, { victim }) => [[KEY, victim.trader.tokenId], ...headers],
  keyList: (headers, { victim }) =>
    mapped(headers, (name, value) => [
      name,
      name === KEY ? `${value}, ${victim.trader.tokenId}` : value,
    ]),
  otherPrefix: (headers, { victim }) => [['lmts-api-key', victim.trader.tokenId], ...headers],
  bothPrefixes: (headers, { victim }) => [
    ...headers,
    ...headers
      .filter(([name]) => PROOF.test(name))
      .map(([name, value]): [string, string] => [
        name.replace('svc-', 'lmts-'),
        name === KEY ? victim.trader.tokenId : value,
      ]),
  ],
  proofTwice: (headers) => [...headers, ...headers.filter(([name]) => PROOF.test(name))],
  upperCase: (headers) => mapped(headers, (name, value) => [name.toUpperCase(), value]),
  mixedCase: (headers) =>
    mapped(headers, (name, value) => [name.replace(/[aeiou]/g, (c) => c.toUpperCase()), value]),
  padded: (headers) => mapped(headers, (name, value) => [name, ` \t ${value} \t `]),
  spaceInName: (headers) => mapped(headers, (name, value) => [`${name} `, value]),
  folded: (headers, { victim }) => [...headers, ['x-a', `b\r\n ${KEY}: ${victim.trader.tokenId}`]],
  bareReturn: (headers, { victim }) => [...headers, ['x-a', `b\r${KEY}: ${victim.trader.tokenId}`]],
  bareNewline: (headers, { ward }) => [...headers, ['x-a', `b\n${BEHALF}: ${ward}`]],
  longKey: (headers, _cast, number) => [...headers, [KEY, 'k'.repeat(number % 6000)]],
  longCookie: (headers, _cast, number) => [
    ...headers,
    ['cookie', `a=${'c'.repeat(number % 6000)}`],
  ],
  unicodeKey: (headers, { victim }) => [
    ...headers,
    [KEY, utf8(`${victim.trader.tokenId}\u0130\ud83d\udc4d`)],
  ],
  cookieOfOther: (headers, { other }) => [...headers, ['cookie', other.cookie]],
  cookiesOfBoth: (headers, { own, other }, number) => {
    const all = [other.cookie, own?.cookie ?? 'a=b']
    return [...headers, ['cookie', (number % 2 === 0 ? all : all.reverse()).join('; ')]]
  },
  cookieNamesVictim: (headers, { victim }) => [
    ...headers,
    [
      'cookie',
      `outcomex_session=${victim.trader.account}; outcomex_session=${victim.trader.tokenId}`,
    ],
  ],
  cookieQuoted: (headers) =>
    mapped(headers, (name, value) => [
      name,
      name === 'cookie' ? value.replace(/=(.*)/, '="$1"') : value,
    ]),
  identityOfOther: (headers, { other }) => [...headers, ['identity', `Bearer ${other.identity}`]],
  identityTwice: (headers, { own, other }) => [
    ...headers,
    ['identity', `Bearer ${own?.identity ?? 'x'}`],
    ['identity', `Bearer ${other.identity}`],
  ],
  identityUnsigned: (headers, { victim }) => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = part({ account: victim.trader.account, exp: 4_102_444_800 })
    return [...headers, ['identity', `Bearer ${part({ alg: 'none' })}.${claims}.`]]
  },
  allProofs: (headers, { own }) =>
    own === undefined
      ? headers
      : [...headers, ['cookie', own.cookie], ['identity', `Bearer ${own.identity}`]],
  adminToo: (headers) => [...headers, ['authorization', 'Bearer admin']],
  behalfTwice: (headers, { child, ward }) => [...headers, [BEHALF, child], [BEHALF, ward]],
  behalfTwiceBack: (headers, { child, ward }) => [[BEHALF, ward], ...headers, [BEHALF, child]],
  behalfVictim: (headers, { victim }) => [...headers, [BEHALF, `${victim.trader.profileId}`]],
  behalfWard: (headers, { ward }, number) => [...headers, [BEHALF, spelled(ward, number)]],
  behalfChild: (headers, { child }, number) => [...headers, [BEHALF, spelled(child, number)]],
  behalfEmpty: (headers) => [...headers, [BEHALF, '']],
  namesVictim: (headers, { victim: { trader } }) => [
    ...headers,
    ['x-account', trader.account],
    ['x-profile-id', `${trader.profileId}`],
    ['x-forwarded-user', trader.account],
    ['x-api-key', trader.tokenId],
  ],
  otherPath: (headers) => [...headers, ['x-original-url', '/health'], ['x-rewrite-url', '/']],
}

/** Smuggles that a parser may refuse to take for a request. */
export const BENT_SMUGGLES: ReadonlySet<string> = new Set([
  'spaceInName',
  'folded',
  'bareReturn',
  'bareNewline',
])

/** Smuggles that bring a valid cookie or identity token of the speaker, beside its flawed proof. */
export const OWN_PROOF_SMUGGLES: ReadonlySet<string> = new Set(['cookiesOfBoth', 'allProofs'])

/** Smuggles that bring a valid proof of some actor: the call may then act as that actor. */
export const OPENING_SMUGGLES: ReadonlySet<string> = new Set([
  'cookieOfOther',
  'cookiesOfBoth',
  'identityOfOther',
  'identityTwice',
  'allProofs',
])
