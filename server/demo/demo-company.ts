// Creates the people of a demo: names, handles, referrals, follows and bookmarks. It may be killed
// between any two calls, because the next start repeats them until everything was done once. Later
// starts leave alone what a person changed since.

import { setTimeout as pause } from 'node:timers/promises'
import { signHash } from '../crypto/ecdsa.ts'
import { hashPersonalMessage } from '../crypto/eip712.ts'
import { nullable, text } from '../edge/http/schema/scalars.ts'
import { compile, openObject } from '../edge/http/schema/schema.ts'
import { accountOf } from '../edge/intake/order/client-order.ts'
import { accepted, DemoClient, type DemoTrader } from './demo-client.ts'
import { BOTS } from './demo-fill.ts'
import { type Filling, fund, keyOf, signIn } from './demo-profiles.ts'

const CONFLICT = 409
export const PERSON_FUNDS_RAW = 10_000_000_000
/** One person after another, so that the orders of a start do not wait for this. */
const PAUSE_MS = 250
const REGISTRATION_REFUSALS: readonly unknown[] = ['REGISTRATION_CLOSED', 'REGISTRATION_LIMIT']

const knownOwner = compile(
  openObject({ referralCode: text(), username: nullable(text()), xHandle: nullable(text()) }),
)
const knownMessage = compile(text())
const knownRefusal = compile(openObject({ code: text() }))

/** Sets the name and handle of a profile that has none; returns its referral code. */
async function introduce(client: DemoClient, stated: Introduction): Promise<string> {
  const { handle, ...words } = stated
  const owner = await client.call('GET', '/profiles/me')
  if (!knownOwner.holds(owner)) throw new Error('a profile has a referral code')
  if (owner.username === null) {
    const named = await client.send('PATCH', '/profiles/me', words)
    // The name is taken: the profile stays without one.
    if (named.status !== CONFLICT) accepted(named)
  }
  if (owner.xHandle === null) {
    await client.call('POST', '/profiles/x/connection', { code: `demo:${handle}` })
  }
  return owner.referralCode
}

/** A first login with a code creates the profile and records its referrer. */
async function joinBy(filling: Filling, name: string, code: string): Promise<void> {
  const { server } = filling.venue
  const key = keyOf(filling.adminToken, name)
  const message = accepted(await server.call('GET', '/auth/signing-message', {}))
  if (!knownMessage.holds(message)) throw new Error('a message to sign is a text')
  const signature = Buffer.from(signHash(hashPersonalMessage(message), key)).toString('hex')
  const headers = {
    'x-account': accountOf(key),
    'x-signing-message': `0x${Buffer.from(message).toString('hex')}`,
    'x-signature': `0x${signature}`,
    'content-type': 'application/json',
  }
  const reply = await server.call('POST', '/auth/login', headers, JSON.stringify({ r: code }))
  const { body } = reply
  // Where only operators create profiles, nobody is referred.
  if (knownRefusal.holds(body) && REGISTRATION_REFUSALS.includes(body.code)) return
  accepted(reply)
}

async function markMachines({ operators, adminToken }: Filling, bots: readonly DemoTrader[]) {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  for (const [index, { profileId }] of bots.entries()) {
    const words = JSON.stringify(MACHINES[BOTS[index]])
    const reply = await operators.call('PATCH', `/admin/profiles/${profileId}`, headers, words)
    if (reply.status !== CONFLICT) accepted(reply)
  }
}

const nameOf = ({ username }: DemoPerson) => `person ${username}`

/** Signs in all people, who exist already. */
export async function findPeople(filling: Filling): Promise<DemoClient[]> {
  const people: DemoClient[] = []
  for (const person of PEOPLE) {
    if (filling.isStopped()) return people
    people.push(new DemoClient(await signIn(filling, nameOf(person)), filling.venue))
  }
  return people
}

async function follow(client: DemoClient, others: readonly DemoClient[]): Promise<void> {
  for (const { trader } of others) await client.call('PUT', `/profiles/${trader.account}/follow`)
}

/** Creates all people and their content; returns the people, or none when the demo was stopped. */
export async function makeCompany(
  filling: Filling,
  traders: readonly DemoTrader[],
  bots: readonly DemoTrader[],
): Promise<DemoClient[]> {
  const codes = new Map<string | number, string>()
  const players = traders.map((trader) => new DemoClient(trader, filling.venue))
  for (const [index, player] of players.entries()) {
    codes.set(index, await introduce(player, introductionOf(index)))
  }
  await markMachines(filling, bots)
  const people: DemoClient[] = []
  for (const { referrer, bookmarks, ...person } of PEOPLE) {
    if (filling.isStopped()) return []
    const { username, displayName, bio, handle } = person
    const name = nameOf({ ...person, referrer, bookmarks })
    await joinBy(filling, name, codes.get(referrer) ?? '')
    const client = new DemoClient(await signIn(filling, name), filling.venue)
    await fund(filling, client.trader.profileId, PERSON_FUNDS_RAW)
    codes.set(username, await introduce(client, { username, displayName, bio, handle }))
    await follow(client, people)
    for (const target of bookmarks) await client.call('PUT', `/market-bookmarks/${target}`)
    await client.call('PATCH', '/market-bookmarks/visibility', { isPublic: true })
    people.push(client)
    await pause(PAUSE_MS)
  }
  for (const player of players) {
    await follow(player, people)
    await pause(PAUSE_MS)
  }
  return filling.isStopped() ? [] : people
}

// The profiles of a demo besides its three traders: two bots that keep the books full, and people
// who trade, follow each other and refer each other.

interface Introduction {
  readonly username: string
  readonly displayName: string
  readonly bio: string
  /** On X; a demo accepts it as verified. */
  readonly handle: string
}

interface DemoPerson extends Introduction {
  /** Who referred it: an earlier person, or a trader by its number. */
  readonly referrer: string | number
  /** Slugs of markets, each prefixed by its kind. */
  readonly bookmarks: readonly string[]
}

/** The initial names of the three traders, until a visitor changes them. */
function introductionOf(trader: number): Introduction {
  return {
    username: `trader-${trader}`,
    displayName: `Trader ${trader}`,
    bio: 'A demo trader that anyone can try.',
    handle: `trader_${trader}`,
  }
}

/** By the names of the bots. */
export const MACHINES = {
  maker: { username: 'harbor-quotes', displayName: 'Harbor quotes', isMachine: true },
  taker: { username: 'harbor-flow', displayName: 'Harbor flow', isMachine: true },
} as const

export const PEOPLE: readonly DemoPerson[] = [
  {
    username: 'mira',
    displayName: 'Mira Keller',
    handle: 'mira_keller',
    referrer: 0,
    bio: 'Clouds first, then prices.',
    bookmarks: ['clob/rain-tomorrow', 'clob/snow-in-april'],
  },
  {
    username: 'theo.b',
    displayName: 'Theo Barros',
    handle: 'theobarros',
    referrer: 0,
    bio: 'Short summers, long coins.',
    bookmarks: ['clob/btc-above-100k', 'clob/eth-above-5k'],
  },
  {
    username: 'anouk',
    displayName: 'Anouk Visser',
    handle: 'anouk_v',
    referrer: 1,
    bio: 'Reds until the end.',
    bookmarks: ['negrisk/cup-winner', 'clob/derby-draw'],
  },
  {
    username: 'jonas-w',
    displayName: 'Jonas Weber',
    handle: 'jonasweber',
    referrer: 'mira',
    bio: 'Rates, oil and gold. Never on Fridays.',
    bookmarks: ['clob/rates-cut-in-march', 'clob/oil-above-90'],
  },
  {
    username: 'priya',
    displayName: 'Priya Nair',
    handle: 'priya_nair',
    referrer: 'mira',
    bio: 'Rockets and reactors.',
    bookmarks: ['clob/moon-landing', 'amm/meteor-shower'],
  },
  {
    username: 'marten',
    displayName: 'Marten Ilves',
    handle: 'marten_i',
    referrer: 'theo.b',
    bio: 'I watch every map.',
    bookmarks: ['clob/north-beats-south', 'clob/three-maps'],
  },
]
