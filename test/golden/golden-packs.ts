import type { Market } from '../../engine/core/markets/catalogue.ts'
import { takesOrders } from '../../engine/domain/markets/market.ts'
import type { PackBody } from '../../engine/domain/packs/pack-command.ts'
import { countPacks, playCurated, playPack } from '../engine/core/packs/pack-play.ts'
import type { GoldenCast } from './golden-cast.ts'

const HOUSE_RAW = 10 ** 11
const COUNTED_EACH_STEP = 0.4

/** Packs, offers and the house, in a golden flow. */
export class GoldenPacks {
  readonly #cast: GoldenCast

  constructor(cast: GoldenCast) {
    this.#cast = cast
  }

  readonly steps: readonly (() => void)[] = [
    ...Array<() => void>(10).fill(() => this.#play()),
    () => this.#fundHouse(),
  ]

  readonly #apply = (body: PackBody): void => this.#cast.driver.control(body)

  /** Some acts at once, so that offers are still open when they are accepted. */
  #play(): void {
    const { driver, random } = this.#cast
    const { clearing, nowMs } = driver
    const markets = clearing.catalogue.all().filter((each) => this.#takesPacks(each))
    const account = () => this.#cast.trader()
    for (let acts = random.between(2, 8); acts > 0; acts--) {
      const play = { clearing, random, nowMs, account, apply: this.#apply }
      if (random.chance(0.2)) playCurated(play, markets)
      else playPack(play, markets)
    }
  }

  #takesPacks({ book, status, groupId, slot }: Market): boolean {
    return book !== 0 && takesOrders(status) && groupId === undefined && slot === undefined
  }

  #fundHouse(): void {
    if (this.#cast.random.chance(0.5)) return
    const bound = this.#cast.random.chance(0.3) ? { dayLossMaxRaw: HOUSE_RAW } : {}
    this.#cast.driver.control({ kind: 'fundHouse', collateralRaw: HOUSE_RAW, ...bound })
  }

  /** Resolved markets count for their packs, and offers end when their time is over. */
  meetDeadlines(): void {
    const { driver, random } = this.#cast
    const { clearing, nowMs } = driver
    const over = [...clearing.packs.offers()].filter(({ expiresMs }) => expiresMs <= nowMs)
    const offerIds = over.map(({ offerId }) => offerId)
    if (offerIds.length > 0) driver.control({ kind: 'endPackOffers', offerIds })
    if (random.chance(COUNTED_EACH_STEP)) countPacks({ clearing, random, apply: this.#apply })
  }
}
