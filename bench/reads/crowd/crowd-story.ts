// What happened in the exchange of many profiles, as commands that the core applied: they follow,
// bookmark, stake packs, and trade with one maker at hours all over the history.

import { assert } from '../../../engine/domain/assert.ts'
import type { Match } from '../../../engine/domain/sports/match.ts'
import type { Seal } from '../../../persistence/seal.ts'
import { scoreJsonOf } from '../../../server/api/sports/score-schema.ts'
import { encodeCommand } from '../../../test/support/encode-command.ts'
import { ExchangeDriver } from '../../../test/support/exchange-driver.ts'
import { Random } from '../../../test/support/random.ts'
import { marketSpec, profileFields } from '../../../test/support/specs.ts'
import { progress } from '../../report/progress.ts'
import { sealedToken } from '../written-folder.ts'
import { anyId, matchSlugOf, nameOf } from './crowd-names.ts'
import { type CrowdSize, MAKER, MARKETS, MARKETS_OF_MATCHES, matchesOf } from './crowd-size.ts'

const SHARE = 1_000_000
const DEPOSIT_RAW = 10 ** 9
const MAKER_RAW = 9 * 10 ** 14
/** So much that the house of packs can promise more when a reader asks for a quote. */
const HOUSE_RAW = 10 ** 12
const REFERRER = MAKER + 1
const HISTORY_MS = 20 * 24 * 3_600_000
/** In a small exchange too. */
const FOLLOWS_EACH = 10
const BOOKMARKS_EACH = 10
const CHAIN_ID = 8453
/** Shares in one trade. */
const TAKEN_MAX = 4
const ASK_TICKS = 500
const BID_TICKS = 480
/** Profiles between two looks at the progress. */
const LOOK = 1000

export class CrowdStory {
  readonly #driver = new ExchangeDriver(1 << 14)
  readonly #random = new Random(1)
  readonly #size: CrowdSize
  readonly #seal: Seal
  #records: Uint8Array[] = []
  #height = 0

  constructor(size: CrowdSize, seal: Seal) {
    this.#size = size
    this.#seal = seal
    this.#driver.onCommand = (command) => this.#records.push(encodeCommand(command))
  }

  #taken(): Uint8Array[] {
    const records = this.#records
    this.#records = []
    return records
  }

  *report(nowMs: number): Iterable<Uint8Array> {
    const driver = this.#driver
    const { profiles } = this.#size
    driver.nowMs = nowMs - HISTORY_MS
    driver.control({ kind: 'rules', version: 1 })
    for (let market = 0; market < MARKETS; market++) driver.addMarket({ feeEnabled: true })
    for (let profileId = 1; profileId <= profiles; profileId++) {
      this.#addProfile(profileId)
      yield* this.#taken()
    }
    for (let marketId = 1; marketId <= MARKETS; marketId++) this.#quote(marketId)
    driver.control({ kind: 'fundHouse', collateralRaw: HOUSE_RAW })
    this.#addMatches()
    for (let profileId = 1; profileId <= profiles; profileId++) {
      this.#follow(profileId)
      this.#stake(profileId)
      yield* this.#taken()
      if (profileId % LOOK === 0) progress(`reads: ${profileId} of ${profiles} profiles`)
    }
    yield* this.#trade(nowMs)
  }

  /**
   * Every other one came by the code of the second. All trade with the maker, a program, for a
   * fee: so their volumes count on boards.
   */
  #addProfile(profileId: number): void {
    const driver = this.#driver
    const name = nameOf(profileId)
    const isMachine = profileId === MAKER
    const output = { username: name, xHandle: profileId % 3 === 0 ? `x_${name}` : null, isMachine }
    const profile = profileFields(profileId, output)
    const token = sealedToken(this.#seal, profileId)
    const isReferred = profileId % 2 === 0 && profileId > REFERRER
    const referred = isReferred ? { referredBy: REFERRER } : {}
    driver.control({ kind: 'createProfile', profileId, profile, token, ...referred })
    driver.control({ kind: 'showBookmarks', profileId, isPublic: true })
    driver.deposit(profileId, profileId === MAKER ? MAKER_RAW : DEPOSIT_RAW)
  }

  /** The most that all profiles may take of one market. */
  #quote(marketId: number): void {
    const { profiles, trades } = this.#size
    const sizeRaw = Math.ceil(profiles / MARKETS) * trades * TAKEN_MAX * SHARE
    const wanted = { account: MAKER, marketId, side: 0, type: 'GTC', sizeRaw } as const
    this.#driver.place({ ...wanted, outcome: 1, priceTicks: 1000 - ASK_TICKS })
    this.#driver.place({ ...wanted, outcome: 0, priceTicks: BID_TICKS })
  }

  /** Half of them are in play. */
  #addMatches(): void {
    const driver = this.#driver
    for (let number = 1; number <= matchesOf(this.#size); number++) {
      const { slug } = marketSpec(number)
      const markets =
        number > MARKETS_OF_MATCHES ? [] : [{ marketId: number, slug, propType: null }]
      const match: Match = {
        ...{ slug: matchSlugOf(number), title: `Match ${number}`, fixtureId: number, markets },
        ...{ sportType: 'football', esportType: null, startsMs: driver.nowMs + number },
        ...{ home: { name: 'Reds', logo: null }, away: { name: 'Blues', logo: null } },
      }
      driver.control({ kind: 'putMatch', match })
      if (number % 2 === 0) continue
      const named = { eventId: `e${number}`, sequence: 1, isFinished: false }
      const reported = {
        fixtureId: number,
        sportType: 'football',
        homeScore: 1,
        awayScore: 0,
      } as const
      const event = { ...named, scoreJson: scoreJsonOf({ ...named, ...reported }) }
      driver.control({ kind: 'scoreMatches', scores: [{ slug: match.slug, ...event }] })
    }
  }

  #follow(profileId: number): void {
    const driver = this.#driver
    const sample = { random: this.#random, size: this.#size, packIds: [] }
    const { follows } = driver.clearing.social
    for (let follow = 0; follow < FOLLOWS_EACH; follow++) {
      const followedId = anyId(sample)
      if (followedId === profileId || follows.isFollowing(profileId, followedId)) continue
      driver.control({ kind: 'followProfile', profileId, followedId })
    }
    for (let bookmark = 0; bookmark < BOOKMARKS_EACH; bookmark++) {
      const marketId = 1 + ((profileId + bookmark) % MARKETS)
      driver.control({ kind: 'putBookmark', profileId, marketId, targetKind: 'clob' })
    }
  }

  #stake(profileId: number): void {
    const markets = [1 + (profileId % MARKETS), 1 + ((profileId + 1) % MARKETS)]
    const legs = markets.map((marketId) => ({ marketId, outcome: 0, priceTicks: ASK_TICKS }))
    const [stakeRaw, payoutRaw] = [SHARE, 3 * SHARE]
    this.#driver.control({ kind: 'createPack', profileId, stakeRaw, payoutRaw, legs })
  }

  /** Each round is mined in a block of its own. */
  *#trade(nowMs: number): Iterable<Uint8Array> {
    const driver = this.#driver
    const { profiles, trades } = this.#size
    for (let round = 0; round < trades; round++) {
      for (let profileId = MAKER + 1; profileId <= profiles; profileId++) {
        const done = (round * profiles + profileId) / (trades * profiles)
        driver.nowMs = Math.floor(nowMs - HISTORY_MS * (1 - done))
        this.#take(profileId, round)
        yield* this.#taken()
      }
      const { lastSeq } = driver.clearing
      driver.control({
        kind: 'mineBlock',
        height: ++this.#height,
        throughSeq: lastSeq,
        chainId: CHAIN_ID,
      })
      progress(`reads: ${(round + 1) * profiles} of ${profiles * trades} trades`)
    }
  }

  /** Buys by turns more than it sells, so profits are realised and shares stay. */
  #take(account: number, round: number): void {
    const buys = round % 2 === 0
    const marketId = 1 + ((account + (round >> 1)) % MARKETS)
    const shares = buys ? this.#random.between(2, TAKEN_MAX) : 1
    const placed = this.#driver.place({
      ...{ account, marketId, outcome: 0, type: 'FAK', sizeRaw: shares * SHARE },
      ...(buys ? { side: 0, priceTicks: ASK_TICKS } : { side: 1, priceTicks: BID_TICKS }),
    })
    assert(placed.result === 'FILLED', `a fill is made: ${placed.refused ?? placed.result}`)
  }
}
