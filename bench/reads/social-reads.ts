// The reads of profiles in `make bench-reads`: of an exchange with many profiles, follows,
// bookmarks and packs beside one with a hundredth of them. Every row comes from commands that the
// core applied and the follower wrote. Both servers are up and take turns.

import { assert } from '../../engine/domain/assert.ts'
import type { Seal } from '../../persistence/seal.ts'
import { encodeCommand } from '../../test/support/encode-command.ts'
import { ExchangeClient, headersFor } from '../../test/support/exchange-client.ts'
import { ExchangeDriver } from '../../test/support/exchange-driver.ts'
import { Random } from '../../test/support/random.ts'
import { ServerProcess } from '../../test/support/server-process.ts'
import { marketSpec, profileFields } from '../../test/support/specs.ts'
import { Caller } from '../http/calls.ts'
import { withFolder } from '../passes/folder.ts'
import { progress } from '../report/progress.ts'
import type { Row } from '../report/report.ts'
import { inTurns, Rounds, type Side } from './turns.ts'
import { sealedToken, writeStory } from './written-folder.ts'

export interface SocialPlan {
  /** Profiles of the large exchange; each follows and bookmarks as many as below. */
  readonly profiles: number
  readonly rounds: number
  readonly calls: number
}

/** How many times fewer profiles the small exchange has. */
const TIMES = 100
const FOLLOWS_EACH = 10
const BOOKMARKS_EACH = 10
const MARKETS = 50
const MAKER = 1
/** Every so many profiles one has traded. */
const TRADER_EVERY = 10
const SHARE = 1_000_000
const QUOTED_SHARES = 1000
const DEPOSIT_RAW = 10 ** 14
const SERVER_ARGS = ['--no-rate-limit', '--stop-deadline', '120']
const CONSONANTS = 'bcdfghjklmnpqrstvwxz'
const VOWELS = 'aeiou'
const SYLLABLES = CONSONANTS.length * VOWELS.length
const NAMES = SYLLABLES ** 3
/** It has no factor in common with the number of names, so no name comes twice. */
const STRIDE = 7919

function syllable(index: number): string {
  return CONSONANTS[Math.floor(index / VOWELS.length)] + VOWELS[index % VOWELS.length]
}

/** Names of three syllables, spread over the alphabet. */
function nameOf(profileId: number): string {
  const place = (profileId * STRIDE) % NAMES
  const [high, middle] = [Math.floor(place / SYLLABLES ** 2), Math.floor(place / SYLLABLES)]
  return syllable(high) + syllable(middle % SYLLABLES) + syllable(place % SYLLABLES)
}

interface Asking {
  readonly random: Random
  readonly profiles: number
  /** Of some packs. */
  readonly packIds: readonly number[]
}

interface SocialRead {
  readonly name: string
  readonly path: (asking: Asking) => string
  readonly isSigned?: boolean
}

const anyId = ({ random, profiles }: Asking) => 1 + random.below(profiles)
const anySlug = ({ random }: Asking) => marketSpec(1 + random.below(MARKETS)).slug
const search = (text: string) => `/profiles/search?query=${encodeURIComponent(text)}`

const READS: readonly SocialRead[] = [
  { name: 'search of a name', path: (asking) => search(nameOf(anyId(asking))) },
  { name: 'search of two letters', path: (asking) => search(nameOf(anyId(asking)).slice(0, 2)) },
  {
    name: 'search of a handle',
    path: (asking) => search(`@x_${nameOf(anyId(asking)).slice(0, 3)}`),
  },
  {
    name: 'search within names',
    path: (asking) => search(nameOf(TRADER_EVERY * Math.ceil(anyId(asking) / 10)).slice(2, 5)),
  },
  {
    name: 'search of a wallet',
    path: (asking) => search(profileFields(anyId(asking)).account),
  },
  {
    name: 'search of many wallets',
    path: () => search('0x0000'),
  },
  { name: 'most followed', path: () => '/profiles/social?limit=20' },
  {
    name: 'public profile',
    path: (asking) => `/profiles/public/${profileFields(anyId(asking)).account}`,
  },
  { name: 'followed profiles', path: () => '/profiles/following', isSigned: true },
  { name: 'own bookmarks', path: () => '/market-bookmarks/me', isSigned: true },
  {
    name: 'public bookmarks',
    path: (asking) => `/market-bookmarks/public/${profileFields(anyId(asking)).account}`,
  },
  { name: 'newest packs', path: () => '/parlay/packs?limit=50' },
  {
    name: 'packs of an account',
    path: (asking) => `/parlay/${profileFields(anyId(asking)).account}/positions`,
  },
  { name: 'packs of a market', path: (asking) => `/markets/${anySlug(asking)}/packs` },
  { name: 'search of packs', path: (asking) => `/parlay/packs/search?query=${anySlug(asking)}` },
  { name: 'one pack', path: ({ random, packIds }) => `/parlay/packs/${random.pick([...packIds])}` },
  { name: 'markets for packs', path: () => '/parlay/markets' },
  { name: 'feed of those followed', path: () => '/feed/following', isSigned: true },
  ...(['all', 'featured', 'following'] as const).map((audience) => ({
    name: `feed of the exchange, ${audience}`,
    path: ({ random }: Asking) =>
      `/feed/trading?audience=${audience}&limit=${20 + random.below(10)}`,
    isSigned: audience === 'following',
  })),
  { name: 'own profile', path: () => '/profiles/me', isSigned: true },
  { name: 'board of referrals', path: () => '/referral/usdc/leaderboard' },
  {
    name: 'board of referred friends',
    path: () => '/referral/usdc/leaderboard/friends',
    isSigned: true,
  },
  { name: 'referred profiles', path: () => '/referral/usdc/referrals', isSigned: true },
]

/** Only those who trade have a token. */
function tokenOf(profileId: number, seal: Seal) {
  const hasToken = profileId === MAKER || profileId % TRADER_EVERY === 0
  return hasToken ? sealedToken(seal, profileId) : null
}

/** Puts the ids of its packs into `packIds`. */
function* story(profiles: number, seal: Seal, packIds: number[]): Iterable<Uint8Array> {
  const driver = new ExchangeDriver()
  let records: Uint8Array[] = []
  driver.onCommand = (command) => records.push(encodeCommand(command))
  const random = new Random(1)
  driver.rare({ kind: 'rules', version: 1 })
  for (let market = 0; market < MARKETS; market++) driver.addMarket()
  for (let profileId = 1; profileId <= profiles; profileId++) {
    const name = nameOf(profileId)
    const said = { username: name, xHandle: profileId % 3 === 0 ? `x_${name}` : null }
    const profile = profileFields(profileId, said)
    const token = tokenOf(profileId, seal)
    const referred = profileId % 2 === 0 ? { referredBy: MAKER } : {}
    driver.rare({ kind: 'createProfile', profileId, profile, token, ...referred })
    driver.rare({ kind: 'showBookmarks', profileId, isPublic: true })
    yield* records
    records = []
  }
  for (let profileId = 1; profileId <= profiles; profileId++) {
    sayOf(driver, profileId, { random, profiles, packIds })
    packIds.push(packOf(driver, profileId))
    yield* records
    records = []
    if (profileId % 1000 === 0) progress(`reads: ${profileId} of ${profiles} profiles`)
  }
}

/** One profile follows others, bookmarks markets and, if it is its turn, trades. */
function sayOf(driver: ExchangeDriver, profileId: number, asking: Asking): void {
  const { follows } = driver.clearing.social
  for (let follow = 0; follow < FOLLOWS_EACH; follow++) {
    const followedId = anyId(asking)
    if (followedId === profileId || follows.isFollowing(profileId, followedId)) continue
    driver.rare({ kind: 'followProfile', profileId, followedId })
  }
  for (let bookmark = 0; bookmark < BOOKMARKS_EACH; bookmark++) {
    const marketId = 1 + ((profileId + bookmark) % MARKETS)
    driver.rare({ kind: 'putBookmark', profileId, marketId, targetKind: 'clob' })
  }
  if (profileId % TRADER_EVERY === 0) tradeOf(driver, profileId)
}

/** The house funds the pack, so that it can pay every one. */
function packOf(driver: ExchangeDriver, profileId: number): number {
  const markets = [1 + (profileId % MARKETS), 1 + ((profileId + 1) % MARKETS)]
  const legs = markets.map((marketId) => ({ marketId, outcome: 0, priceTicks: 500 }))
  const [stakeRaw, payoutRaw] = [SHARE, 3 * SHARE]
  driver.rare({ kind: 'fundHouse', collateralRaw: payoutRaw - stakeRaw })
  driver.deposit(profileId, stakeRaw)
  driver.rare({ kind: 'createPack', profileId, stakeRaw, payoutRaw, legs })
  return driver.clearing.lastSeq
}

function tradeOf(driver: ExchangeDriver, profileId: number): void {
  const isQuoteDue = (profileId / TRADER_EVERY) % QUOTED_SHARES === 1
  const wish = { marketId: 1, side: 0, priceTicks: 500 } as const
  if (isQuoteDue) {
    driver.deposit(MAKER, DEPOSIT_RAW / 1000)
    const sizeRaw = (QUOTED_SHARES + 1) * SHARE
    driver.place({ ...wish, account: MAKER, outcome: 0, type: 'GTC', sizeRaw })
  }
  driver.deposit(profileId, SHARE)
  const sizeRaw = SHARE
  const placed = driver.place({ ...wish, account: profileId, outcome: 1, type: 'FAK', sizeRaw })
  assert(placed.result === 'FILLED', 'a fill is made')
}

/** The path of a call is drawn before its headers are made. */
class Asker {
  readonly #open: Caller
  readonly #signed: Caller
  readonly #asking: Asking
  #path = ''

  constructor(
    baseUrl: string,
    asked: Omit<Asking, 'random'>,
    token: { tokenId: string; secret: string },
  ) {
    this.#asking = { random: new Random(2), ...asked }
    this.#open = new Caller(baseUrl)
    this.#signed = new Caller(baseUrl, [200], () =>
      headersFor(token, { method: 'GET', path: this.#path, body: '' }),
    )
  }

  round(read: SocialRead, calls: number): Promise<number[]> {
    const pathOf = () => {
      this.#path = read.path(this.#asking)
      return this.#path
    }
    const caller = read.isSigned === true ? this.#signed : this.#open
    return caller.round(pathOf, calls)
  }

  close(): void {
    this.#open.close()
    this.#signed.close()
  }
}

async function withSide<T>(
  { profiles, calls }: SocialPlan,
  work: (side: Side<SocialRead>) => Promise<T>,
): Promise<T> {
  return withFolder(async (dataDir) => {
    const packIds: number[] = []
    writeStory(dataDir, (seal) => story(profiles, seal, packIds))
    const server = await ServerProcess.start({ dataDir, args: SERVER_ARGS })
    try {
      const { account } = profileFields(MAKER)
      const body = { account, apiToken: { scopes: ['trading'] } }
      const { tokenId, secret } = Object(
        await new ExchangeClient(server.baseUrl).admin('/admin/profiles', body),
      )
      const asker = new Asker(server.baseUrl, { profiles, packIds }, { tokenId, secret })
      const done = await work({
        name: `${profiles} profiles`,
        rounds: new Rounds(),
        round: (read) => asker.round(read, calls),
      })
      asker.close()
      return done
    } finally {
      await server.stop()
    }
  })
}

export function socialRows(plan: SocialPlan): Promise<Row[]> {
  const small = { ...plan, profiles: Math.ceil(plan.profiles / TIMES) }
  const turns = { reads: READS, rounds: plan.rounds, kindOf: () => 'profiles' }
  return withSide(small, (few) => withSide(plan, (many) => inTurns(few, many, turns)))
}
