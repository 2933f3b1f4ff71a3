import { decideFollow, type SeenMove } from '../../engine/core/decide/money/chain-moves.ts'
import { reversalParts, type SettledTrade } from '../../engine/core/money/reversal.ts'
import type { Arrival } from '../../engine/domain/command.ts'
import { kindOf } from '../../engine/domain/markets/market.ts'
import type { Placed } from '../support/exchange-driver.ts'
import type { GoldenCast } from './golden-cast.ts'

const CHAIN_ID = 8453
const RETRIED = 0.1
const FAILED = 0.06
const SETTLED_LATE = 0.6
/** Blocks that are a transaction of an EVM chain, and transactions with a second attempt. */
const SENT = 0.4
const REPEATED = 0.3
/** Before that, the exchange holds the funds. */
const FOLLOWED_FROM = 2500
const SENDER = '0x00000000000000000000000000000000000000D0'

/** The chain of a golden flow: blocks, and trades that are retried or reversed. */
const LEGS_MAX = 3

export class GoldenChain {
  readonly #cast: GoldenCast
  /** Trades that are neither mined nor reversed, by the seq of their arrival. */
  readonly #trades = new Map<number, SettledTrade>()

  constructor(cast: GoldenCast) {
    this.#cast = cast
  }

  /** Keeps the trade of an arrival, before the next command reuses a slot of its makers. */
  traded(
    order: Pick<Arrival, 'marketId' | 'accountId' | 'side' | 'outcome'>,
    placed: Placed,
  ): void {
    if (placed.makers.length === 0) return
    const { clearing } = this.#cast.driver
    const { marketId, accountId: takerId, side, outcome } = order
    const fills = placed.makers.map(({ slot, account, sizeRaw, ticks }) => ({
      makerId: account,
      makerOutcome: clearing.orders.outcomeOf(slot),
      makerSide: clearing.orders.sideOf(slot),
      sharesRaw: sizeRaw,
      yesTicks: ticks,
    }))
    const { feeRaw } = placed
    this.#trades.set(clearing.lastSeq, { marketId, takerId, side, outcome, feeRaw, fills })
  }

  /** Stamps as the pipeline does: setbacks, a block, then trades that an earlier block left out. */
  mine(): void {
    const { driver, random } = this.#cast
    const { blocks } = driver.clearing
    const aside = blocks.aside()
    for (const tradeSeq of [...this.#trades.keys()]) {
      if (random.chance(FAILED)) this.#fail(tradeSeq)
      else if (!blocks.isAside(tradeSeq) && random.chance(RETRIED)) {
        driver.control({ kind: 'retrySettlement', tradeSeq })
      }
    }
    const txHash = random.chance(SENT) ? this.#send() : null
    const throughSeq = driver.clearing.lastSeq
    const height = blocks.height + 1
    const block = { kind: 'mineBlock', height, throughSeq, chainId: CHAIN_ID } as const
    driver.control(txHash === null ? block : { ...block, txHash })
    for (const tradeSeq of [...this.#trades.keys()]) {
      if (!blocks.isAside(tradeSeq)) this.#trades.delete(tradeSeq)
    }
    for (const tradeSeq of aside) {
      if (!this.#trades.has(tradeSeq) || random.chance(1 - SETTLED_LATE)) continue
      driver.control({ kind: 'settleTrade', tradeSeq, height })
      this.#trades.delete(tradeSeq)
    }
  }

  /** From some time on, wallets on a chain hold the funds, and their owners move them. */
  follow(): void {
    const { driver, random } = this.#cast
    const { clearing } = driver
    if (clearing.lastSeq < FOLLOWED_FROM) return
    const { place: before } = clearing.chainFunds
    const owners = Array.from({ length: clearing.accounts.count }, (_, index) => index + 1)
    const allowances = owners
      .filter(() => before === null || random.chance(0.05))
      .map((profileId) => {
        const isLow = before !== null && random.chance(0.5)
        const collateralRaw = isLow ? random.below(1_000_000) : Number.MAX_SAFE_INTEGER
        return { profileId, collateralRaw, ofShares: before === null || random.chance(0.8) }
      })
    const wallets = owners
      .filter(() => before === null)
      .map((profileId) => ({ profileId, address: `0x${this.#cast.hex(5)}` }))
    const block = (before?.block ?? 0) + random.between(1, 3)
    const place = { block, hash: `0x${this.#cast.hex(8)}`, taken: random.below(2) }
    const moves = owners.filter(() => random.chance(0.3)).map((owner) => this.#seen(owner))
    const { command } = decideFollow(clearing, { place, allowances, wallets, moves })
    driver.control(command)
    for (const profileId of command.short ?? []) this.#cast.endAllOf(profileId, 'FUNDS_MOVED')
  }

  #seen(owner: number): SeenMove {
    const { driver, random } = this.#cast
    const { marketId } = random.pick(
      [...driver.clearing.catalogue.all()].filter((market) => kindOf(market) === 'clob'),
    )
    const raw = random.between(-2_000_000_000, 2_000_000_000)
    const both = random.pick([
      { yesRaw: raw, noRaw: raw },
      { yesRaw: raw, noRaw: 0 },
      { yesRaw: 0, noRaw: raw },
    ])
    const shares = random.chance(0.5) ? [{ marketId, ...both }] : []
    const isLarge = random.chance(0.05)
    return {
      owner,
      txHash: `0x${this.#cast.hex(8)}`,
      collateralRaw: isLarge ? 2 ** 51 : -raw,
      shares,
    }
  }

  /** Sends the trades that are left; the earlier transaction happens only now. */
  #send(): string {
    const { driver, random } = this.#cast
    const account = SENDER
    const [sender] = driver.clearing.transactions.capture()
    for (const { nonce, attempts, moves = [] } of sender?.sent ?? []) {
      const { txHash } = random.pick(attempts)
      const end = { kind: 'endTransaction', account, nonce, txHash } as const
      const left = moves.filter(() => random.chance(0.2))
      driver.control({ ...end, isReverted: left.length > 0, ...(left.length > 0 ? { left } : {}) })
    }
    const nonce = sender?.nextNonce ?? 0
    const attempt = () => {
      const txHash = `0x${this.#cast.hex(8)}`
      const rawTx = Buffer.from(this.#cast.hex(12), 'hex')
      return { kind: 'submitTransaction', account, nonce, txHash, rawTx } as const
    }
    const first = attempt()
    const moves = driver.clearing.chainFunds.due().map(({ seq }) => seq)
    const content = { trades: [...this.#trades.keys()], markets: [1] }
    driver.control({ ...first, ...content, ...(moves.length > 0 ? { moves } : {}) })
    if (random.chance(REPEATED)) driver.control(attempt())
    return first.txHash
  }

  #fail(tradeSeq: number): void {
    const trade = this.#trades.get(tradeSeq)
    if (trade === undefined) return
    this.#trades.delete(tradeSeq)
    // Few legs, so that trades with two makers or more take several commands.
    for (const part of reversalParts(trade, LEGS_MAX, 0)) {
      this.#cast.driver.control({ kind: 'failSettlement', tradeSeq, ...part })
    }
  }
}
