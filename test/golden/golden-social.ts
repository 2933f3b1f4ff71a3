import { decideMatch, decideMatchRemoval, decideScores } from '../../engine/core/decide/matches.ts'
import { decideBookmark, decideFollow } from '../../engine/core/decide/social.ts'
import { kindOf } from '../../engine/domain/markets/market.ts'
import { Reject } from '../../engine/domain/reject-precedence.ts'
import { BOOKMARK_KINDS } from '../../engine/domain/social/social-command.ts'
import type { GoldenCast } from './golden-cast.ts'

const FIXTURES = 4

/** Follows, bookmarks and matches with their scores, in a golden flow. */
export class GoldenSocial {
  readonly #cast: GoldenCast
  #events = 0

  constructor(cast: GoldenCast) {
    this.#cast = cast
  }

  readonly steps: readonly (() => void)[] = [
    () => this.#follow(),
    () => this.#follow(),
    () => this.#bookmark(),
    () => this.#bookmark(),
    () => this.#bookmark(),
    () => this.#clearBookmarks(),
    () => this.#showBookmarks(),
    () => this.#putMatch(),
    () => this.#putMatch(),
    () => this.#removeMatch(),
    () => this.#score(),
    () => this.#score(),
    () => this.#score(),
  ]

  /** Follows a profile, or ends that when it is followed. */
  #follow(): void {
    const { driver, random } = this.#cast
    const { clearing } = driver
    const [profileId, followedId] = [random.between(1, 3), this.#cast.trader()]
    if (clearing.social.follows.isFollowing(profileId, followedId)) {
      driver.control({ kind: 'unfollowProfile', profileId, followedId })
    } else if (decideFollow(clearing, profileId, followedId) === null) {
      driver.control({ kind: 'followProfile', profileId, followedId })
    }
  }

  /** Keeps a market, or forgets one. */
  #bookmark(): void {
    const { driver, random } = this.#cast
    const { clearing } = driver
    const profileId = this.#cast.trader()
    const { marketId } = random.pick(clearing.catalogue.all())
    const kept = clearing.social.bookmarks.of(profileId)
    const isNew = kept.every((each) => each.marketId !== marketId)
    if (kept.length > 0 && random.chance(0.4)) {
      driver.control({ kind: 'removeBookmark', profileId, marketId: random.pick(kept).marketId })
    } else if (isNew && decideBookmark(clearing, profileId) === null) {
      const targetKind = random.pick(BOOKMARK_KINDS)
      driver.control({ kind: 'putBookmark', profileId, marketId, targetKind })
    }
  }

  #clearBookmarks(): void {
    this.#cast.driver.control({ kind: 'clearBookmarks', profileId: this.#cast.trader() })
  }

  #showBookmarks(): void {
    const isPublic = this.#cast.random.chance(0.6)
    this.#cast.driver.control({ kind: 'showBookmarks', profileId: this.#cast.trader(), isPublic })
  }

  #putMatch(): void {
    const { driver, random } = this.#cast
    const { clearing, nowMs } = driver
    const fixtureId = random.between(1, FIXTURES)
    const before = clearing.matches.byFixture(fixtureId)
    const own = before?.markets.map(({ slug, propType }) => ({ slug, propType })) ?? []
    const free = clearing.catalogue.all().filter((market) => {
      const isFree = clearing.matches.byMarket(market.marketId) === undefined
      return isFree && kindOf(market) !== 'group' && random.chance(0.2)
    })
    const propType = random.pick([null, 'map_winner', 'total_maps'] as const)
    const more = free.slice(0, 2).map(({ slug }) => ({ slug, propType }))
    const isEsport = fixtureId % 2 === 0
    const decided = decideMatch(clearing, {
      slug: `match-${fixtureId}`,
      title: this.#cast.name('Größtes Spiel'),
      sportType: isEsport ? 'esports' : 'football',
      esportType: isEsport ? 'cs2' : null,
      fixtureId,
      startsMs: nowMs + random.below(10 ** 6),
      home: { name: this.#cast.name('Heim'), logo: null },
      away: { name: 'Gäste', logo: random.pick([null, 'https://example.org/a.png']) },
      markets: [...own, ...more],
    })
    if (!(decided instanceof Reject)) driver.control({ kind: 'putMatch', match: decided })
  }

  #removeMatch(): void {
    const { driver, random } = this.#cast
    const slug = `match-${random.between(1, FIXTURES)}`
    if (random.chance(0.5) || decideMatchRemoval(driver.clearing, slug) !== null) return
    driver.control({ kind: 'removeMatch', slug })
  }

  #score(): void {
    const { driver, random } = this.#cast
    const { clearing } = driver
    const events = [...Array(FIXTURES).keys()].map((at) => {
      const sequence = ++this.#events
      const scoreJson = JSON.stringify({ homeScore: random.below(5), awayScore: random.below(5) })
      const stated = { eventId: `event-${sequence}`, sequence, isFinished: random.chance(0.1) }
      const sportType = at % 2 === 0 ? ('football' as const) : ('esports' as const)
      return { ...stated, scoreJson, fixtureId: at + 1, sportType }
    })
    const decided = decideScores(clearing, events)
    if (decided instanceof Reject || decided.scores.length === 0) return
    driver.control({ kind: 'scoreMatches', scores: decided.scores })
  }
}
