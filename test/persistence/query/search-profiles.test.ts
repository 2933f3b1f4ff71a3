import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Connection, openReadOnly } from '../../../persistence/database.ts'
import { Follower } from '../../../persistence/follower/follower.ts'
import { readPath } from '../../../persistence/follower/read-database.ts'
import { rebuildReadTables } from '../../../persistence/follower/rebuild.ts'
import { following, socialProfiles } from '../../../persistence/query/read/social/profile-lists.ts'
import { searchProfiles } from '../../../persistence/query/read/social/search-profiles.ts'
import { keyed, newFolder } from '../../support/data-folder.ts'
import { encodeCommand } from '../../support/encode-command.ts'
import { ExchangeDriver } from '../../support/exchange-driver.ts'
import { fillJournal } from '../../support/journal-fill.ts'
import { freshSeed, Random } from '../../support/random.ts'
import { profileFields } from '../../support/specs.ts'

// Profiles are found as a slow search over all of them finds them.

const SHARE = 1_000_000
const MINUTE_MS = 60_000
const SYLLABLES = ['an', 'na', 'Ro', 'x_', '0x', 'ab', 'bob', 'S', '.q']

/** What the slow search knows of a profile. */
interface Known {
  readonly id: number
  readonly account: string
  name: string | null
  handle: string | null
  followers: number
  volumeRaw: number
  hasTraded: boolean
  readonly isMachine: boolean
}

/** What is so at one seq. */
interface Shown {
  readonly seq: number
  readonly known: readonly Known[]
}

/**
 * Everything is written first and read later: a thread has one exchange, which is the follower's.
 */
class Desk {
  readonly dataDir = newFolder()
  readonly driver = new ExchangeDriver()
  readonly known: Known[] = []
  readonly #records: Uint8Array[] = []
  #follower: Follower | null = null
  #connection: Connection | null = null

  constructor() {
    this.driver.onCommand = (command) => this.#records.push(encodeCommand(command))
    this.driver.control({ kind: 'rules', version: 1 })
    this.driver.addMarket()
  }

  profile(name: string | null, handle: string | null = null, isMachine = false): Known {
    const profileId = this.known.length + 1
    const profile = profileFields(profileId, {
      account: `0x${((profileId * 2654435761) >>> 0).toString(16).padStart(8, '0').repeat(5)}`,
      username: name,
      xHandle: handle,
    })
    if (isMachine) {
      const made = { profileId, profile, partnerId: 1, approved: [], proof: null }
      this.driver.control({ kind: 'createSubAccount', ...made, sealedKey: new Uint8Array(4) })
    } else
      this.driver.control({ kind: 'createProfile', profileId, profile, token: tokenOf(profileId) })
    const known: Known = {
      id: profileId,
      account: profile.account,
      name,
      handle,
      isMachine,
      followers: 0,
      volumeRaw: 0,
      hasTraded: false,
    }
    this.known.push(known)
    return known
  }

  rename(known: Known, change: { username?: string | null; xHandle?: string | null }): void {
    this.driver.control({ kind: 'editProfile', profileId: known.id, profile: change, token: null })
    if (change.username !== undefined) known.name = change.username
    if (change.xHandle !== undefined) known.handle = change.xHandle
  }

  follow(one: Known, other: Known): void {
    const { follows } = this.driver.clearing.social
    const isThere = follows.isFollowing(one.id, other.id)
    const kind = isThere ? 'unfollowProfile' : 'followProfile'
    this.driver.control({ kind, profileId: one.id, followedId: other.id })
    other.followers += isThere ? -1 : 1
  }

  trade(maker: Known, taker: Known, shares: number): void {
    const wanted = { marketId: 1, side: 0, priceTicks: 500, sizeRaw: shares * SHARE } as const
    for (const { id } of [maker, taker]) this.driver.deposit(id, shares * SHARE)
    this.driver.place({ ...wanted, account: maker.id, outcome: 0, type: 'GTC' })
    const placed = this.driver.place({ ...wanted, account: taker.id, outcome: 1, type: 'FAK' })
    assert.equal(placed.result, 'FILLED')
    for (const each of [maker, taker]) {
      each.volumeRaw += (shares * SHARE) / 2
      each.hasTraded = true
    }
  }

  /** Lets a minute pass, which shows volumes again, and gives what is so then. */
  show(): Shown {
    for (const minutes of [1, 2]) {
      this.driver.nowMs += minutes * MINUTE_MS
      this.driver.deposit(1, SHARE)
    }
    return this.now()
  }

  now(): Shown {
    return { seq: this.driver.clearing.lastSeq, known: this.known.map((each) => ({ ...each })) }
  }

  /** Brings the tables to what was written then; from now on nothing more is written. */
  read({ seq }: Shown): void {
    if (this.#follower === null) {
      fillJournal(this.dataDir, this.#records, 1)
      this.#follower = new Follower(keyed(this.dataDir))
    }
    while (this.#follower.step(seq));
    assert.equal(this.#follower.readSeq, seq)
  }

  get connection(): Connection {
    this.#connection ??= openReadOnly(readPath(this.dataDir))
    return this.#connection
  }

  found(text: string, limit = 20): number[] {
    const search = searchProfiles.open(this.connection)
    return search({ text, limit }).map(({ profileId }) => profileId)
  }

  close(): void {
    this.#connection?.close()
    this.#connection = null
    this.#follower?.close()
  }
}

function tokenOf(profileId: number) {
  const scopes = ['trading' as const]
  return { tokenId: `token-${profileId}`, sealedSecret: new Uint8Array(4), label: null, scopes }
}

function byStanding(a: Known, b: Known): number {
  return (
    Number(b.hasTraded) - Number(a.hasTraded) ||
    b.followers - a.followers ||
    b.volumeRaw - a.volumeRaw ||
    a.id - b.id
  )
}

/** Every stage over every profile. */
function slowSearch(all: readonly Known[], text: string, limit: number): number[] {
  const trimmed = text.trim()
  const isHandle = trimmed.startsWith('@')
  const wanted = (isHandle ? trimmed.slice(1) : trimmed).trim().toLowerCase()
  if ([...wanted].length < 2) return []
  const sorted = [...all].sort(byStanding)
  const begins = (of: 'name' | 'handle') => [
    ...sorted.filter((each) => each[of]?.toLowerCase() === wanted),
    ...sorted.filter((each) => each[of]?.toLowerCase().startsWith(wanted)),
  ]
  const isHex = !isHandle && /^(0x[0-9a-f]+|[0-9a-f]{6,})$/.test(wanted)
  const wallet = wanted.startsWith('0x') ? wanted : `0x${wanted}`
  const wallets = isHex ? sorted.filter(({ account }) => account.startsWith(wallet)) : []
  const isPart = /[\p{L}\p{N}]{3}/u.test(wanted)
  const within = sorted.filter((each) => {
    return isPart && each.hasTraded && each.name?.toLowerCase().includes(wanted)
  })
  const names = isHandle ? ['handle', 'name'] : ['name', 'handle']
  const stages = [...names.map((name) => begins(name === 'name' ? 'name' : 'handle')), wallets]
  return [...new Set([...stages.flat(), ...within].map(({ id }) => id))].slice(0, limit)
}

function drawnName(random: Random): string {
  return Array.from({ length: random.between(1, 5) }, () => random.pick(SYLLABLES)).join('')
}

/** Changes one thing, as a user would. */
function act(desk: Desk, random: Random): void {
  const one = random.pick(desk.known)
  const other = random.pick(desk.known)
  const dice = random.next()
  if (dice < 0.5 && one !== other) desk.follow(one, other)
  else if (dice < 0.6) desk.rename(one, { xHandle: random.chance(0.3) ? null : drawnName(random) })
  else if (dice < 0.75) {
    const name = drawnName(random)
    const isTaken = desk.known.some((each) => each.name?.toLowerCase() === name.toLowerCase())
    if (!isTaken) desk.rename(one, { username: random.chance(0.1) ? null : name })
  } else if (dice < 0.85 && one !== other) {
    // Few of them trade, so that each of their volumes is projected in one chunk.
    const [maker, taker] = [desk.known[one.id % 20], desk.known[20 + (other.id % 10)]]
    desk.trade(maker, taker, random.between(1, 9))
  }
}

test('a search gives what a slow search over all profiles gives', () => {
  const random = new Random(freshSeed())
  const desk = new Desk()
  for (let at = 0; at < 120; at++) {
    const name = drawnName(random)
    const isTaken = desk.known.some((each) => each.name?.toLowerCase() === name.toLowerCase())
    const isMachine = at >= 30 && random.chance(0.1)
    desk.profile(isTaken ? null : name, random.chance(0.4) ? drawnName(random) : null, isMachine)
  }
  const rounds = Array.from({ length: 8 }, () => {
    for (let step = 0; step < 60; step++) act(desk, random)
    return desk.show()
  })
  for (const shown of rounds) {
    const { known } = shown
    desk.read(shown)
    for (let params = 0; params < 150; params++) {
      const drawn = random.chance(0.2) ? random.pick(known).account : drawnName(random)
      const part = drawn.slice(random.below(2) * random.below(4), random.between(2, 12))
      const text = `${random.chance(0.2) ? ' @' : ''}${part}${random.chance(0.1) ? ' ' : ''}`
      const limit = random.between(1, 20)
      assert.deepEqual(desk.found(text, limit), slowSearch(known, text, limit), text)
    }
    const people = known.filter(({ isMachine }) => !isMachine)
    const most = people.sort((a, b) => {
      return b.followers - a.followers || b.volumeRaw - a.volumeRaw || a.id - b.id
    })
    const listed = socialProfiles.open(desk.connection)(20)
    assert.deepEqual(
      listed.map(({ profileId, followersCount }) => [profileId, followersCount]),
      most.slice(0, 20).map(({ id, followers }) => [id, followers]),
    )
  }
  const counts = standingRows(desk.connection)
  desk.close()
  rebuildReadTables(desk.dataDir)
  assert.deepEqual(standingRows(desk.connection), counts, 'the tables follow from the journal')
  desk.close()
})

/** How many rows there are; none is left of names and standings that are gone. */
function standingRows(db: Connection): unknown[] {
  return ['profile_standings', 'profile_prefixes', 'profile_parts', 'follows'].map((table) => {
    return db.prepare(`SELECT count(*) AS count FROM ${table}`).get()
  })
}

test('names come in the order of the stages: exact, prefix, handle, wallet, within', () => {
  const desk = new Desk()
  const within = desk.profile('goldrain')
  const handled = desk.profile('somebody', 'rainfall')
  const begun = desk.profile('rainmaker')
  const exact = desk.profile('RAIN')
  const other = desk.profile('goldrainy')
  desk.trade(within, handled, 3)
  desk.read(desk.show())
  const ids = (...all: Known[]) => all.map(({ id }) => id)
  assert.deepEqual(desk.found('rain'), ids(exact, begun, handled, within))
  assert.deepEqual(desk.found('@rain'), ids(handled, exact, begun, within))
  assert.deepEqual(desk.found('  rAiN '), ids(exact, begun, handled, within))
  assert.deepEqual(desk.found('rain', 2), ids(exact, begun))
  assert.deepEqual(desk.found(other.account.slice(0, 12).toUpperCase().replace('X', 'x')), [5])
  assert.deepEqual(desk.found(`@${other.account.slice(0, 12)}`), [])
  assert.deepEqual(desk.found(other.account.slice(2, 8)), [5], 'six digits need no 0x')
  assert.deepEqual(desk.found(other.account.slice(2, 7)), [])
  for (const short of ['', ' ', 'r', '@', '@r', ' @ r ']) assert.deepEqual(desk.found(short), [])
  desk.close()
})

test('a new volume moves a profile within a minute, and a first trade at once', () => {
  const desk = new Desk()
  const [first, second, third] = ['rain-one', 'rain-two', 'rain-six'].map((name) =>
    desk.profile(name),
  )
  const made = desk.now()
  desk.trade(second, third, 1)
  const traded = desk.now()
  desk.driver.nowMs += MINUTE_MS
  desk.trade(third, second, 9)
  desk.trade(second, first, 1)
  const later = desk.show()
  desk.read(made)
  assert.deepEqual(desk.found('rain'), [1, 2, 3])
  desk.read(traded)
  assert.deepEqual(desk.found('rain'), [2, 3, 1])
  desk.read(later)
  assert.deepEqual(desk.found('rain'), [2, 3, 1])
  desk.close()
})

test('texts of any kind are looked for as they are, and find nobody by mistake', () => {
  const desk = new Desk()
  desk.profile('percent')
  desk.profile('under_score')
  desk.profile('emoji-\u{1f600}-name')
  desk.trade(desk.known[0], desk.known[1], 1)
  desk.trade(desk.known[2], desk.known[1], 1)
  desk.read(desk.show())
  const wild = ['%%', 'per%', '%cent', '__', 'under?score', '"per"', "per'", "'; --", 'per*']
  const odd = ['per\u0000cent', '\u0000\u0000', 'NEAR(a b)', 'a OR b', '\\\\', '\u{1f600}']
  for (const text of [...wild, ...odd]) assert.deepEqual(desk.found(text), [], JSON.stringify(text))
  assert.deepEqual(desk.found('r_s'), [])
  assert.deepEqual(desk.found('er_sco'), [2])
  assert.deepEqual(desk.found('emoji-\u{1f600}'), [3])
  assert.deepEqual(desk.found('\u{1f600}-name'), [3])
  assert.deepEqual(desk.found('\u{10ffff}'.repeat(100)), [])
  desk.close()
})

test('a profile follows others page by page, by rising id', () => {
  const desk = new Desk()
  const all = Array.from({ length: 12 }, () => desk.profile(null))
  for (const each of [...all.slice(1)].reverse()) desk.follow(all[0], each)
  desk.follow(all[0], all[5])
  desk.read(desk.now())
  const read = following.open(desk.connection)
  const pageAfter = (after: number) =>
    read({ owner: 1, after, limit: 5 }).map(({ profileId }) => profileId)
  assert.deepEqual(pageAfter(0), [2, 3, 4, 5, 7])
  assert.deepEqual(pageAfter(7), [8, 9, 10, 11, 12])
  assert.deepEqual(pageAfter(12), [])
  desk.close()
})
