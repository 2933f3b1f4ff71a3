// The commands of the exchange of the reads of profiles: they follow, bookmark, buy packs, and
// trade with one maker, spread over the hours of the history.

import type { Match } from '../../../engine/domain/sports/match.ts'
import type { Seal } from '../../../persistence/seal.ts'
import { scoreJsonOf } from '../../../server/api/sports/sports.ts'
import { Random } from '../../../test/support/random.ts'
import { marketSpec } from '../../../test/support/specs.ts'
import { progress } from '../../harness/bench.ts'
import { ASK_TICKS, History, SHARE } from '../history.ts'

export interface ProfileSize {
  /** The first of them quotes every market, and trades with all others. */
  readonly profiles: number
  /** Trades of each other profile. */
  readonly trades: number
}

export const MAKER = 1
export const MARKETS = 50
/** For one match there are so many profiles. */
const PROFILES_A_MATCH = 100
/** The first matches are about one market each. */
export const MARKETS_OF_MATCHES = 10

export function matchesOf({ profiles }: ProfileSize): number {
  return Math.ceil(profiles / PROFILES_A_MATCH)
}

const DEPOSIT_RAW = 10 ** 9
const MAKER_RAW = 9 * 10 ** 14
/** Enough that the house of packs can promise more when a reader requests a quote. */
const HOUSE_RAW = 10 ** 12
const REFERRER = MAKER + 1
const HISTORY_MS = 20 * 24 * 3_600_000
/** In a small exchange too. */
const FOLLOWS_EACH = 10
const BOOKMARKS_EACH = 10
const CHAIN_ID = 8453
/** Shares that one trade buys, at most. */
const BOUGHT_MAX = 4
const PROGRESS_EVERY = 1000

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
export function nameOf(profileId: number): string {
  const place = (profileId * STRIDE) % NAMES
  const [high, middle] = [Math.floor(place / SYLLABLES ** 2), Math.floor(place / SYLLABLES)]
  return syllable(high) + syllable(middle % SYLLABLES) + syllable(place % SYLLABLES)
}

export const matchSlugOf = (match: number): string => `match-${match}`

/** The records of the journal, from the first command on. */
export function* historyOf(size: ProfileSize, seal: Seal, nowMs: number): Iterable<Uint8Array> {
  const { profiles } = size
  const history = new History(seal, nowMs - HISTORY_MS)
  const { driver } = history
  const random = new Random(1)
  for (let market = 0; market < MARKETS; market++) driver.addMarket({ feeEnabled: true })
  for (let profileId = 1; profileId <= profiles; profileId++) {
    addProfile(history, profileId)
    yield* history.taken()
  }
  // All that the other profiles may trade in one market.
  const quotedRaw = Math.ceil(profiles / MARKETS) * size.trades * BOUGHT_MAX * SHARE
  for (let marketId = 1; marketId <= MARKETS; marketId++) {
    history.quote(MAKER, marketId, quotedRaw)
  }
  driver.control({ kind: 'fundHouse', collateralRaw: HOUSE_RAW })
  for (let number = 1; number <= matchesOf(size); number++) addMatch(history, number)
  for (let profileId = 1; profileId <= profiles; profileId++) {
    follow(history, profileId, () => 1 + random.below(profiles))
    buyPack(history, profileId)
    yield* history.taken()
    if (profileId % PROGRESS_EVERY === 0) progress(`reads: ${profileId} of ${profiles} profiles`)
  }
  for (let round = 0; round < size.trades; round++) {
    yield* tradeRound(history, round, size, { random, nowMs })
  }
}

/**
 * Every second profile came by the code of one referrer. All trade with the maker, a program, for a
 * fee: so their volumes count on boards.
 */
function addProfile(history: History, profileId: number): void {
  const name = nameOf(profileId)
  const xHandle = profileId % 3 === 0 ? `x_${name}` : null
  const isReferred = profileId % 2 === 0 && profileId > REFERRER
  history.addProfile(
    profileId,
    profileId === MAKER ? MAKER_RAW : DEPOSIT_RAW,
    { username: name, xHandle, isMachine: profileId === MAKER },
    isReferred ? REFERRER : undefined,
  )
  history.driver.control({ kind: 'showBookmarks', profileId, isPublic: true })
}

/** Every second match is in play. */
function addMatch({ driver }: History, number: number): void {
  const hasMarket = number <= MARKETS_OF_MATCHES
  const { slug } = marketSpec(number)
  const match: Match = {
    slug: matchSlugOf(number),
    title: `Match ${number}`,
    fixtureId: number,
    markets: hasMarket ? [{ marketId: number, slug, propType: null }] : [],
    sportType: 'football',
    esportType: null,
    startsMs: driver.nowMs + number,
    home: { name: 'Reds', logo: null },
    away: { name: 'Blues', logo: null },
  }
  driver.control({ kind: 'putMatch', match })
  if (number % 2 === 0) return
  const event = { eventId: `e${number}`, sequence: 1, isFinished: false }
  const score = { fixtureId: number, sportType: 'football', homeScore: 1, awayScore: 0 } as const
  const scoreJson = scoreJsonOf({ ...event, ...score })
  driver.control({ kind: 'scoreMatches', scores: [{ slug: match.slug, ...event, scoreJson }] })
}

function follow({ driver }: History, profileId: number, pick: () => number): void {
  const { follows } = driver.clearing.social
  for (let index = 0; index < FOLLOWS_EACH; index++) {
    const followedId = pick()
    if (followedId === profileId || follows.isFollowing(profileId, followedId)) continue
    driver.control({ kind: 'followProfile', profileId, followedId })
  }
  for (let index = 0; index < BOOKMARKS_EACH; index++) {
    const marketId = 1 + ((profileId + index) % MARKETS)
    driver.control({ kind: 'putBookmark', profileId, marketId, targetKind: 'clob' })
  }
}

function buyPack({ driver }: History, profileId: number): void {
  const markets = [1 + (profileId % MARKETS), 1 + ((profileId + 1) % MARKETS)]
  const legs = markets.map((marketId) => ({ marketId, outcome: 0, priceTicks: ASK_TICKS }))
  const [stakeRaw, payoutRaw] = [SHARE, 3 * SHARE]
  driver.control({ kind: 'createPack', profileId, stakeRaw, payoutRaw, legs })
}

/** A trade of each profile, in a block of their own. */
function* tradeRound(
  history: History,
  round: number,
  { profiles, trades }: ProfileSize,
  { random, nowMs }: { readonly random: Random; readonly nowMs: number },
): Iterable<Uint8Array> {
  const { driver } = history
  for (let profileId = MAKER + 1; profileId <= profiles; profileId++) {
    const done = (round * profiles + profileId) / (trades * profiles)
    driver.nowMs = Math.floor(nowMs - HISTORY_MS * (1 - done))
    // More is bought than sold, so profits are realised and shares stay.
    const marketId = 1 + ((profileId + (round >> 1)) % MARKETS)
    const bought = round % 2 === 0 ? random.between(2, BOUGHT_MAX) : 0
    history.trade(profileId, marketId, round, bought)
    yield* history.taken()
  }
  const { lastSeq: throughSeq } = driver.clearing
  driver.control({ kind: 'mineBlock', height: round + 1, throughSeq, chainId: CHAIN_ID })
  progress(`reads: ${(round + 1) * profiles} of ${profiles * trades} trades`)
}
