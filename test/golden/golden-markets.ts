import assert from 'node:assert/strict'
import { mayPayOut } from '../../engine/core/decide/endings.ts'
import {
  decideFlag,
  decideGroup,
  decideLock,
  decideMarkets,
  decideUnlock,
  newMarkets,
} from '../../engine/core/decide/markets.ts'
import type { Market } from '../../engine/core/markets/catalogue.ts'
import { kindOf, type MarketSpec } from '../../engine/domain/markets/market.ts'
import { Reject } from '../../engine/domain/reject-precedence.ts'
import { marketSpec } from '../support/specs.ts'
import { type GoldenCast, MINUTE_MS } from './golden-cast.ts'

const GROUPS_MAX = 3
const POOLS_MAX = 2
const ADAPTER = `0x${'5'.repeat(40)}`

/** A market of its own, with a book from its creation. */
export function isPlain(market: Market): boolean {
  return kindOf(market) === 'clob' && market.groupId === undefined && market.slot === undefined
}

/** Groups, pools, edits, locks, flags and payouts, in a golden flow. */
export class GoldenMarkets {
  readonly #cast: GoldenCast

  constructor(cast: GoldenCast) {
    this.#cast = cast
  }

  readonly steps: readonly (() => void)[] = [
    () => this.#createGroup(),
    () => this.#resolveGroup(),
    () => this.#createPool(),
    () => this.#edit(),
    () => this.#edit(),
    () => this.#lock(),
    () => this.#unlock(),
    () => this.#flag(),
    () => this.#flag(),
    () => this.#payOut(),
    () => this.#payOut(),
  ]

  #unresolved(which: (market: Market) => boolean): Market[] {
    const all = this.#cast.driver.clearing.catalogue.all()
    return all.filter((market) => market.status !== 'RESOLVED' && which(market))
  }

  #createGroup(): void {
    const { driver, random } = this.#cast
    if (this.#unresolved((market) => kindOf(market) === 'group').length >= GROUPS_MAX) return
    const groupId = driver.clearing.catalogue.lastId + 1
    const negRiskId = `0x${this.#cast.hex(8)}`
    const group: MarketSpec = {
      ...marketSpec(groupId, { slug: this.#cast.name('group-of'), categories: ['Wahl'] }),
      kind: 'group',
      negRiskId,
      convertFeeBps: random.pick([0, 20]),
      adapterAddress: ADAPTER,
      conditionId: '',
      yesTokenId: '',
      noTokenId: '',
    }
    const deadlineMs = random.chance(0.3) ? driver.nowMs + random.below(600_000) : null
    const children = Array.from({ length: random.between(2, 4) }, (_each, index) => {
      const placed = { groupId, orderInGroup: index, negRiskId: `0x${this.#cast.hex(8)}` }
      const spec = { slug: this.#cast.name('child-of'), adapterAddress: ADAPTER, deadlineMs }
      return marketSpec(groupId + 1 + index, { ...placed, ...spec, feeEnabled: index % 2 === 0 })
    })
    const specs = [group, ...children]
    assert.equal(decideMarkets(driver.clearing, specs), null)
    driver.control({ kind: 'createGroup', markets: newMarkets(driver.clearing, specs), by: 'root' })
  }

  #resolveGroup(): void {
    const { driver, random } = this.#cast
    const groups = this.#unresolved((market) => kindOf(market) === 'group')
    if (groups.length === 0 || random.chance(0.3)) return
    const group = random.pick(groups)
    const winner = random.pick(driver.clearing.catalogue.childrenOf(group.marketId))
    const resolutions = decideGroup(driver.clearing, group, winner)
    assert(!(resolutions instanceof Reject))
    driver.control({ kind: 'resolveMarkets', resolutions, by: 'root' })
    for (const { marketId } of resolutions) {
      this.#cast.end('MARKET_RESOLVED', marketId, this.#cast.open({ marketId }))
    }
  }

  /** A market with a pool is a draft; some are resolved as drafts. */
  #createPool(): void {
    const { driver, random } = this.#cast
    const { clearing } = driver
    const pools = this.#unresolved((market) => kindOf(market) === 'amm')
    const [{ marketId }] = pools.length < POOLS_MAX ? [{ marketId: 0 }] : pools
    if (marketId !== 0) {
      const resolutions = [{ marketId, payoutNumerators: [1, 1] as const }]
      driver.control({ kind: 'resolveMarkets', resolutions })
      return
    }
    const poolAddress = `0x${this.#cast.hex(5)}`
    const slug = this.#cast.name('pool-of')
    const changes = { kind: 'amm' as const, slug, poolAddress, tags: [random.pick(['a', 'ß'])] }
    const specs = [marketSpec(clearing.catalogue.lastId + 1, changes)]
    assert.equal(decideMarkets(clearing, specs), null)
    const [made] = newMarkets(clearing, specs)
    driver.control({ kind: 'createMarket', ...made })
  }

  #edit(): void {
    const { driver, random } = this.#cast
    const { marketId } = random.pick(this.#unresolved(() => true))
    const change = random.pick([
      { title: this.#cast.name('Größer'), description: 'Neu ☀' },
      { categories: random.pick([[], ['Wetter'], ['Sport', 'Crypto']]), tags: ['neu'] },
      { proxyTitle: 'kurz', imageUrl: 'https://img.example/a.png', logo: '' },
      { dailyRewardRaw: random.between(0, 100_000_000), rebateBps: random.below(10_000) },
    ])
    driver.control({ kind: 'editMarket', marketId, change, by: 'root' })
  }

  #lock(): void {
    const { driver, random } = this.#cast
    const open = this.#unresolved((market) => decideLock(market) === null)
    if (open.length < 3) return
    const { marketId } = random.pick(open)
    driver.control({ kind: 'lockMarket', marketId })
    this.#cast.end('MARKET_LOCKED', marketId, this.#cast.open({ marketId }))
  }

  #unlock(): void {
    const { driver, random } = this.#cast
    const locked = this.#unresolved((market) => decideUnlock(market, driver.nowMs) === null)
    if (locked.length === 0) return
    driver.control({ kind: 'unlockMarket', marketId: random.pick(locked).marketId, by: 'root' })
  }

  #flag(): void {
    const { driver, random } = this.#cast
    const isFlagged = random.chance(0.5)
    const markets = this.#unresolved((market) => decideFlag(market, isFlagged) === null)
    if (markets.length === 0) return
    const { marketId } = random.pick(markets)
    driver.control({ kind: 'flagMarket', marketId, isFlagged, by: 'root' })
  }

  #payOut(): void {
    const { driver, random } = this.#cast
    const unpaid = [...driver.clearing.catalogue.unpaid]
    const due = unpaid.filter((market) => mayPayOut(driver.clearing, market))
    const marketIds = due.map(({ marketId }) => marketId)
    if (marketIds.length === 0) return
    const redeemAtMs = driver.nowMs + random.below(MINUTE_MS)
    driver.control({
      kind: 'postPayouts',
      marketIds,
      ...(random.chance(0.5) ? { redeemAtMs } : {}),
    })
  }
}
