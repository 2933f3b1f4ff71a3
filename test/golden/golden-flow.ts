import assert from 'node:assert/strict'
import { RULES_VERSION } from '../../engine/core/clearing.ts'
import { expiresAtMs, isTradable } from '../../engine/core/decide.ts'
import {
  decideAdjust,
  decideMarket,
  decideProfile,
  decideResolve,
  decideRevoke,
  decideToken,
} from '../../engine/core/decide-accounts.ts'
import { STATE } from '../../engine/core/order-table.ts'
import type { Command, Scope } from '../../engine/domain/command.ts'
import { CANCEL_REASONS, type CancelReason } from '../../engine/domain/event.ts'
import { SIDE } from '../../engine/domain/order.ts'
import { encodeCancel } from '../../engine/wire/cancel-codec.ts'
import { encodeRare } from '../../engine/wire/codec.ts'
import { encodePlace } from '../../engine/wire/place-codec.ts'
import { encodeRelease } from '../../engine/wire/release-codec.ts'
import { ExchangeDriver, type OrderRef, type Wish } from '../support/exchange-driver.ts'
import { Random } from '../support/random.ts'
import { marketSpec, profileFields } from '../support/specs.ts'

// A seeded exchange in which everything happens that commands can say: what a recording holds.
// It decides by the real gates, stamps, applies and notes the state hash after each command.

const FIRST_MARKETS = 4
const SLOTS = 1024
const RATES_BPS = [300, 250, 100, 30, 1, 0, 7]
const TRADERS = RATES_BPS.length
const PAYOUTS = [
  [1, 0],
  [0, 1],
  [2, 3],
] as const
const MINUTE_MS = 60_000

export class GoldenFlow {
  readonly driver = new ExchangeDriver(SLOTS)
  readonly records: Uint8Array[] = []
  readonly hashes: string[] = []
  readonly #random: Random
  /** Tokens made beside those that sign orders, and still live. */
  #spareTokens: { tokenId: string; profileId: number }[] = []
  #sessions: string[] = []
  #names = 0

  constructor(seed: number) {
    this.#random = new Random(seed)
    this.driver.onCommand = (command) => {
      // What the command before this one left.
      if (this.records.length > 0) this.hashes.push(this.driver.exchange.stateHash())
      this.records.push(encoded(command))
    }
    this.driver.rare({ kind: 'rules', version: RULES_VERSION })
    this.driver.rare({ kind: 'setAdminToken', tokenDigest: this.#digest() })
    for (const [id, feeRateBps] of RATES_BPS.entries()) {
      const rank = { id, name: `Rank ${id}`, feeRateBps }
      this.driver.addAccount(50_000_000_000, { rank, scopes: ['trading', 'delegated_signing'] })
    }
    for (let each = 0; each < FIRST_MARKETS; each++) this.#createMarket()
  }

  /** Runs until `count` commands were made, and keeps as many. */
  run(count: number): void {
    while (this.records.length <= count) this.#step()
    this.records.length = count
    this.hashes.length = count
  }

  #step(): void {
    this.driver.nowMs += this.#random.below(4000)
    this.#meetDeadlines()
    const dice = this.#random.next()
    if (dice < 0.7) this.#place()
    else if (dice < 0.84) this.#cancel()
    else if (dice < 0.86) this.#cancelAll()
    else this.#random.pick(this.#rareSteps)()
  }

  readonly #rareSteps: readonly (() => void)[] = [
    () => this.#adjustBalance(),
    () => this.#adjustBalance(),
    () => this.#editProfile(),
    () => this.#createToken(),
    () => this.#revokeToken(),
    () => this.#touchToken(),
    () => this.#touchToken(),
    () => this.#login(),
    () => this.#login(),
    () => this.#logout(),
    () => this.#closeMarket(),
    () => this.driver.rare({ kind: 'setAdminToken', tokenDigest: this.#digest() }),
  ]

  #digest(): string {
    const words = Array.from({ length: 8 }, () => this.#random.below(2 ** 32))
    return words.map((word) => word.toString(16).padStart(8, '0')).join('')
  }

  #name(what: string): string {
    return `${what} ${++this.#names}`
  }

  #tradable(): number[] {
    const markets = this.driver.clearing.catalogue.all()
    const open = markets.filter((market) => isTradable(market, this.driver.nowMs))
    return open.map((market) => market.marketId)
  }

  #place(): void {
    const random = this.#random
    const [account, outcome] = [random.between(1, TRADERS), random.below(2)]
    const marketId = random.pick(this.#tradable())
    const heldRaw = this.driver.sharesRaw(account, marketId, outcome)
    const side = heldRaw >= 1000 && random.chance(0.5) ? SIDE.SELL : SIDE.BUY
    const wish: Wish = { account, marketId, outcome, side, stp: random.below(3), type: 'FOK' }
    if (random.chance(0.15)) {
      if (side === SIDE.BUY) wish.spendRaw = random.between(1, 400_000_000)
      else wish.sizeRaw = random.between(1, heldRaw)
    } else {
      const wantRaw = 1000 * random.between(1, 500_000)
      wish.type = random.pick(['GTC', 'GTC', 'GTC', 'GTC', 'FAK', 'FOK'])
      wish.priceTicks = random.chance(0.05) ? random.pick([1, 999]) : random.between(490, 510)
      wish.sizeRaw = side === SIDE.SELL ? Math.min(wantRaw, heldRaw - (heldRaw % 1000)) : wantRaw
      wish.postOnly = wish.type === 'GTC' && random.chance(0.2)
    }
    if (random.chance(0.3)) wish.clientOrderId = this.#name('Auftrag №')
    if (random.chance(0.2)) {
      wish.expirationSec = Math.floor(this.driver.nowMs / 1000) + random.below(60)
    }
    // A balance that ran short is a refusal: no command, and the flow goes on.
    this.driver.place(wish)
  }

  /** Open orders, of one market or one account where one is named. */
  #open(only: { marketId?: number; account?: number } = {}): (OrderRef & { account: number })[] {
    const { orders } = this.driver.clearing
    const open: (OrderRef & { account: number })[] = []
    for (let slot = 1; slot <= orders.highSlot; slot++) {
      if (orders.stateOf(slot) === STATE.FREE) continue
      if (only.marketId !== undefined && orders.marketOf(slot) !== only.marketId) continue
      const account = orders.accountOf(slot)
      if (only.account !== undefined && account !== only.account) continue
      open.push({ slot, generation: orders.generationOf(slot), account })
    }
    return open
  }

  #cancel(): void {
    const open = this.#open()
    if (open.length === 0) return
    const order = this.#random.pick(open)
    assert.equal(this.driver.cancel(order.account, order), null)
  }

  /** All of an account's orders in a market; some are named twice, some ended long ago. */
  #cancelAll(): void {
    const marketId = this.#random.pick(this.#tradable())
    const open = this.#open({ marketId, account: this.#random.between(1, TRADERS) })
    if (open.length === 0) return
    const gone = open.map(({ slot, generation }) => ({ slot, generation: generation - 1 }))
    this.driver.cancelMany(marketId, [...open, gone[0], open[0]])
  }

  #adjustBalance(): void {
    const profileId = this.#random.between(1, TRADERS)
    const freeRaw = this.driver.freeRaw(profileId)
    const takes = this.#random.chance(0.4) && freeRaw > 1
    const collateralRaw = takes
      ? -this.#random.between(1, Math.ceil(freeRaw / 4))
      : this.#random.between(1, 9_000_000_000)
    assert.equal(decideAdjust(this.driver.clearing, profileId, collateralRaw), 0)
    this.driver.rare({ kind: 'adjustBalance', profileId, collateralRaw })
  }

  #editProfile(): void {
    const { clearing } = this.driver
    const profileId = this.#random.between(1, TRADERS)
    const before = clearing.accounts.byId(profileId)
    const profile = profileFields(profileId, {
      username: this.#random.chance(0.8) ? this.#name('Trader') : null,
      rank: before?.rank ?? null,
      // The cap decides what later orders must have signed.
      feeCapBps: this.#random.pick([null, 0, 50, 1000]),
      smartWallet: this.#random.chance(0.2) ? `0x${'ab'.repeat(20)}` : null,
      scopes: before?.scopes ?? [],
    })
    assert.equal(decideProfile(clearing, profile, before), 0)
    const token = this.#random.chance(0.2) ? this.#spareToken(profileId, ['trading']) : null
    this.driver.rare({ kind: 'editProfile', profileId, profile, token })
  }

  #spareToken(profileId: number, scopes: readonly Scope[]) {
    const tokenId = this.#name('spare')
    this.#spareTokens.push({ tokenId, profileId })
    const label = this.#random.chance(0.5) ? 'a desk' : null
    return { tokenId, sealedSecret: new Uint8Array(40).fill(this.#names), label, scopes }
  }

  #createToken(): void {
    const { clearing } = this.driver
    const profileId = this.#random.between(1, TRADERS)
    const profile = clearing.accounts.byId(profileId)
    assert(profile !== undefined)
    const scopes = this.#random.pick([['trading'], ['trading', 'delegated_signing'], []] as const)
    assert.equal(decideToken(clearing, profile, scopes), 0)
    const token = this.#spareToken(profileId, scopes)
    this.driver.rare({ kind: 'createToken', profileId, token })
  }

  #revokeToken(): void {
    if (this.#spareTokens.length === 0) return
    const { tokenId, profileId } = this.#random.pick(this.#spareTokens)
    this.#spareTokens = this.#spareTokens.filter((each) => each.tokenId !== tokenId)
    assert.equal(decideRevoke(this.driver.clearing, profileId, tokenId), 0)
    this.driver.rare({ kind: 'revokeToken', tokenId })
  }

  #touchToken(): void {
    const tokenId = `token-${this.#random.between(1, TRADERS)}`
    this.driver.rare({ kind: 'touchToken', tokenId })
  }

  #login(): void {
    const sessionDigest = this.#digest()
    this.#sessions.push(sessionDigest)
    this.driver.rare({
      kind: 'login',
      profileId: this.#random.between(1, TRADERS),
      sessionDigest,
      expiresMs: this.driver.nowMs + 10 * MINUTE_MS,
      nonce: this.#name('nonce'),
      nonceExpiresMs: this.driver.nowMs + 5 * MINUTE_MS,
    })
  }

  /** Of a session that may have ended by itself: a logout says nothing then. */
  #logout(): void {
    if (this.#sessions.length === 0) return
    const sessionDigest = this.#random.pick(this.#sessions)
    this.#sessions = this.#sessions.filter((each) => each !== sessionDigest)
    this.driver.rare({ kind: 'logout', sessionDigest })
  }

  #createMarket(): void {
    const { clearing, nowMs } = this.driver
    const marketId = clearing.catalogue.count + 1
    const changes = {
      slug: `market-${this.#name('of')}`,
      feeEnabled: marketId % 2 === 1,
      deadlineMs: marketId % 3 === 0 ? nowMs + this.#random.below(20 * MINUTE_MS) : null,
      categories: ['Crypto', 'Wetter'].slice(this.#random.below(3)),
      minSizeRaw: this.#random.pick([0, 50_000_000]),
    }
    assert.equal(decideMarket(clearing, marketSpec(marketId, changes)), 0)
    this.driver.addMarket(changes)
  }

  /** Locks or resolves one of the oldest, with its orders; a new one takes its place. */
  #closeMarket(): void {
    if (this.#random.chance(0.6)) return
    const { catalogue } = this.driver.clearing
    const unresolved = catalogue.all().filter((market) => market.status !== 'RESOLVED')
    const market = unresolved[this.#random.below(2)]
    const { marketId } = market
    if (market.status === 'FUNDED' && this.#random.chance(0.5)) {
      this.driver.rare({ kind: 'lockMarket', marketId })
      this.#end('MARKET_LOCKED', marketId, this.#open({ marketId }))
    } else {
      const payoutNumerators = this.#random.pick(PAYOUTS)
      assert.equal(decideResolve(market, payoutNumerators), 0)
      this.driver.rare({ kind: 'resolveMarket', marketId, payoutNumerators })
      this.#end('MARKET_RESOLVED', marketId, this.#open({ marketId }))
    }
    while (this.#tradable().length < FIRST_MARKETS) this.#createMarket()
  }

  #meetDeadlines(): void {
    const { nowMs } = this.driver
    const { catalogue, orders } = this.driver.clearing
    for (const { marketId, status, deadlineMs } of catalogue.all()) {
      if (status === 'FUNDED' && deadlineMs !== null && deadlineMs <= nowMs) {
        this.driver.rare({ kind: 'lockMarket', marketId })
        this.#end('MARKET_LOCKED', marketId, this.#open({ marketId }))
      }
      const due = this.#open({ marketId }).filter(({ slot }) => {
        const expirationSec = orders.expirationSecOf(slot)
        return expirationSec !== 0 && expiresAtMs(expirationSec) <= nowMs
      })
      this.#end('EXPIRED', marketId, due)
    }
    while (this.#tradable().length < 2) this.#createMarket()
  }

  #end(reason: CancelReason, marketId: number, orders: readonly OrderRef[]): void {
    if (orders.length === 0) return
    this.driver.cancelMany(marketId, orders, CANCEL_REASONS.indexOf(reason))
  }
}

/** An order's tail is no state, but a record carries it: bytes that say which order's they are. */
function encoded(command: Command): Uint8Array {
  if (command.kind === 'cancelOrders') return encodeCancel(command)
  if (command.kind === 'releaseOrder') return encodeRelease(command)
  if (command.kind !== 'placeOrder') return encodeRare(command)
  const part = (bytes: number, salt: number) => new Uint8Array(bytes).fill(command.seq + salt)
  return encodePlace(command, {
    orderHash: part(32, 1),
    salt: part(32, 2),
    maker: part(20, command.accountId),
    signer: part(20, command.accountId),
    signature: part(65, 3),
    signatureType: command.accountId % 3,
    signedFeeBps: command.feeBps,
  })
}
