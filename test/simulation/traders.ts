// What the clients of a simulated world do with orders: they send and cancel, honestly and not.
// Each answer is compared with the model, and comes no sooner than the disk allows.

import assert from 'node:assert/strict'
import type { PlaceRequest } from '../../engine/core/decide/decide.ts'
import { SEEN } from '../../engine/core/orders/seen-orders.ts'
import type { PlaceOrder } from '../../engine/domain/command.ts'
import { RESULT } from '../../engine/domain/event.ts'
import { NO_TOKEN } from '../../engine/domain/ids.ts'
import { SIDE } from '../../engine/domain/order.ts'
import { REJECT, Reject } from '../../engine/domain/reject-precedence.ts'
import { encodePlace } from '../../engine/wire/place-codec.ts'
import { type OrderName, RELEASING } from '../../server/exchange/sequencer/sequencer.ts'
import { rejectName } from '../support/reject-name.ts'
import type { Life } from './life.ts'
import { Orders, TOKENS } from './orders.ts'
import { isCancel, type Script, type Step } from './script.ts'

export interface Known {
  readonly slot: number
  readonly generation: number
  readonly account: number
  readonly marketId: number
}

const KNOWN_MAX = 400

interface Sponsored {
  readonly profileId: number
  readonly partnerId: number
  readonly account: string
  readonly approved: readonly string[]
}

/** What clients know and received, which outlives a crash. */
export class ClientMemory {
  readonly placed = new Map<number, Known>()
  known: Known[] = []
  sent: PlaceOrder[] = []
  /** Post-only orders that were refused because they would have crossed. */
  crossed: PlaceOrder[] = []
  /** The seq of accepted orders, by hash. */
  readonly accepted = new Map<number, { readonly seq: number; readonly hashLow: number }>()
  /** Sub-accounts, with the approvals that clients received. */
  readonly sponsored: Sponsored[] = []
  /** Sub-accounts that requested to leave their partner, and those whose request was confirmed. */
  readonly leaving = new Set<number>()
  readonly left: number[] = []
  readonly canceled: { readonly seq: number; readonly order: OrderName }[] = []

  /** Checks after a recovery that everything clients received is there. */
  check({ pipeline }: Life, recoveredSeq: number): void {
    const { seen, orders } = pipeline.clearing
    for (const [hash, { seq, hashLow }] of this.accepted) {
      assert(seq <= recoveredSeq, 'an accepted order is in the journal')
      const known = seen.hash(hash | 0, hashLow | 0)
      assert(known === SEEN.YES, 'the hash of an accepted order is known')
    }
    const { accounts } = pipeline.clearing
    for (const { profileId, partnerId, account, approved } of this.sponsored) {
      assert.equal(accounts.byId(profileId)?.account, account, 'a sub-account has its address')
      const made = accounts.partners.byId(profileId)
      const mayHaveLeft = this.leaving.has(profileId)
      if (mayHaveLeft && made === undefined) continue
      assert.equal(made?.partnerId, partnerId, 'and its partner, unless it leaves')
      assert(
        approved.every((each) => made.approved.includes(each)),
        'an approval stays',
      )
    }
    for (const profileId of this.left) {
      assert.equal(accounts.partners.byId(profileId), undefined, 'a profile has left for good')
    }
    for (const { seq, order } of this.canceled) {
      assert(seq <= recoveredSeq, 'every cancel that was confirmed to clients is in the journal')
      assert(!orders.isLive(order.slot, order.generation), 'a canceled order stays canceled')
    }
  }

  learn(known: Known, row = -1): void {
    if (row >= 0) this.placed.set(row, known)
    this.known.push(known)
    if (this.known.length > KNOWN_MAX) this.known = this.known.slice(KNOWN_MAX / 2)
  }

  accept({ hashHigh, hashLow, seq }: PlaceOrder): void {
    this.accepted.set(hashHigh, { seq, hashLow })
  }
}

/** Refusals of a cancel of several orders. */
const REFUSED = new Set([REJECT.OVERLOADED, REJECT.READ_TIMEOUT, REJECT.TRADING_DISABLED])

export class Traders {
  readonly #script: Script
  readonly #life: Life
  readonly #memory: ClientMemory
  readonly #orders: Orders
  readonly #tokens = new Map<number, string>()
  refusals = 0
  overloads = 0

  constructor(script: Script, life: Life, memory: ClientMemory) {
    this.#script = script
    this.#life = life
    this.#memory = memory
    this.#orders = new Orders(script, life.model, life.published)
  }

  /** The number of a valid token of the account when it has one. */
  #tokenOf(account: number): number {
    const { tokens } = this.#life.model
    const known = this.#tokens.get(account)
    if (known !== undefined && tokens.get(known)?.isRevoked === false) {
      return this.#life.tokenNoOf(known)
    }
    for (const [tokenId, token] of tokens) {
      if (token.profileId !== account || token.isRevoked) continue
      this.#tokens.set(account, tokenId)
      return this.#life.tokenNoOf(tokenId)
    }
    return NO_TOKEN
  }

  row({ row }: Step, index: number): void {
    if (!isCancel(this.#script, row)) {
      this.#send(this.#orders.plain(row, index + 1), row)
      return
    }
    const known = this.#memory.placed.get(this.#script.work.target[row])
    if (known !== undefined) this.cancel(known, known.account)
  }

  /** Sends the order of a row, changed by the act. */
  order({ act, row, dice }: Step, index: number): void {
    if (isCancel(this.#script, row)) {
      this.row({ act, row, dice }, index)
      return
    }
    const order = this.#orders.plain(row, index + 1)
    if (act === 'typed') this.#orders.typed(order, dice)
    else if (act === 'market') this.#orders.market(order, dice)
    else if (act === 'exact') this.#orders.exact(order, dice)
    else if (act === 'crossing') this.#orders.crossing(order)
    else if (act === 'expiring') {
      const nowSec = Math.floor(this.#life.pipeline.sequencer.nowMs() / 1000)
      order.expirationSec = nowSec + Math.floor(dice[0] * 6) - 1
    } else if (act === 'named') {
      const fresh = dice[0] < 0.7
      order.clientOrderId = fresh ? `order ${index}` : `order ${Math.floor(dice[1] * 40)}`
    }
    this.#send(order, row)
  }

  /** The main accounts sell all their shares of an old market, so that its pairs are unmade. */
  unwind({ row, dice }: Step, index: number): void {
    if (isCancel(this.#script, row)) return
    for (const order of this.#orders.unwinding(row, index, dice[0])) this.#send(order)
  }

  /** A slot that was announced at the first try may have its book by now. */
  #renewed(order: PlaceOrder): PlaceOrder {
    return { ...order, book: this.#life.model.markets[order.marketId - 1].book }
  }

  /** Sends an earlier order again, whatever its end was. */
  again({ dice }: Step): void {
    const { sent } = this.#memory
    const recent = dice[1] < 0.7 ? Math.max(0, sent.length - 20) : 0
    const order = sent[recent + Math.floor(dice[0] * (sent.length - recent))]
    if (order !== undefined) this.#send(this.#renewed(order))
  }

  /** Sends a post-only order that would have crossed again, mostly at a price further back. */
  resent({ dice }: Step): void {
    const { crossed } = this.#memory
    if (crossed.length === 0) return
    const [order] = crossed.splice(Math.floor(dice[0] * crossed.length), 1)
    const again = this.#renewed(order)
    this.#orders.reach(again, dice[1] < 0.8 ? -400 : 0)
    this.#send(again)
  }

  /** Sends an order that one or two gates stop: the first gate in the precedence answers. */
  restricted({ row, dice }: Step, index: number): void {
    if (isCancel(this.#script, row)) return
    const order = this.#orders.plain(row, index + 1)
    const nowMs = this.#life.nowMs()
    const bars: ((request: PlaceRequest) => Partial<PlaceRequest>)[] = [
      () => ({ tokenNo: NO_TOKEN }),
      () => ({ recvWindowMs: 500, timestampMs: nowMs - 501 }),
      () => ({ recvWindowMs: 500, timestampMs: nowMs + 1001 }),
      () => ({ ownerId: order.accountId + 1 }),
      () => ({ makerIsCaller: false }),
      () => ({ signerIsCaller: false }),
      ({ signedFeeBps }) => ({ signedFeeBps: signedFeeBps + 1 }),
      () => ({ signatureOk: false }),
      () => ({ recvWindowMs: 500, timestampMs: nowMs - 500 }),
    ]
    let request = this.#requestOf(order)
    for (const each of dice) request = { ...request, ...bars[Math.floor(each * 9)](request) }
    this.#send(order, -1, request)
  }

  #requestOf(order: PlaceOrder): PlaceRequest {
    return {
      order,
      tokenNo: this.#tokenOf(order.accountId),
      ownerId: order.accountId,
      signerIsCaller: true,
      makerIsCaller: true,
      signatureOk: true,
      signedFeeBps: this.#life.model.rates[order.accountId] ?? 0,
      timestampMs: 0,
      recvWindowMs: 0,
      wallMs: this.#life.nowMs(),
    }
  }

  #send(order: PlaceOrder, row = -1, request: PlaceRequest = this.#requestOf(order)): void {
    const { pipeline, model, watch } = this.#life
    const { clearing, publisher } = pipeline
    this.#memory.sent.push({ ...order })
    const refusal = pipeline.sequencer.place(request, encodePlace(order))
    const at = clearing.lastSeq
    if (refusal === REJECT.OVERLOADED) {
      this.overloads++
      return
    }
    if (refusal !== null) {
      this.refusals++
      publisher.whenDurable(at, () => watch.reported(at))
      return
    }
    assert.equal(order.seq, at, 'an accepted order is the newest command')
    const { slot, generation, accountId: account, marketId } = order
    const { takerDelayMs } = model.markets[marketId - 1]
    assert.equal(order.takerDelayMs, order.postOnly ? 0 : takerDelayMs, 'takers are delayed')
    const known = { slot, generation, account, marketId }
    this.#memory.learn(known, row)
    publisher.whenReceipt(order.seq, order.nowMs, (receipt) => this.#received(order, receipt))
  }

  #received(
    order: PlaceOrder,
    receipt: Parameters<Parameters<Life['pipeline']['publisher']['whenReceipt']>[2]>[0],
  ): void {
    const { watch } = this.#life
    watch.reported(order.seq)
    const answer = watch.answers.get(order.seq)
    assert(answer !== undefined, 'a reply follows its answer')
    watch.answers.delete(order.seq)
    assert.equal(BigInt(receipt.filledSharesRaw), answer.shares, 'shares of a reply')
    assert.equal(BigInt(receipt.filledCollateralRaw), answer.collateral, 'collateral of a reply')
    if (answer.shares > 0n) assert.equal(BigInt(receipt.feeRaw), answer.fee, 'the fee of a reply')
    const sizes = receipt.makers.map(({ sizeRaw }) => sizeRaw)
    const matched = answer.fills.map(({ shares }) => Number(shares))
    assert.deepEqual(sizes, matched, 'the makers of a reply')
    assert.equal(receipt.stpCanceled.length, answer.cancelled.length, 'own makers of a reply')
    if (receipt.result === RESULT.WOULD_CROSS) {
      this.#memory.crossed.push({ ...order, replacedSlot: 0 })
    } else if (receipt.result !== RESULT.NOT_PLACED) this.#memory.accept(order)
  }

  #pickKnown(dice: number): Known | undefined {
    const { known } = this.#memory
    return known[Math.floor(dice * known.length)]
  }

  cancelAgain({ dice }: Step): void {
    const known = this.#pickKnown(dice[0])
    if (known === undefined) return
    this.cancel(known, known.account)
    this.cancel(known, known.account)
  }

  cancelForeign({ dice }: Step): void {
    const known = this.#pickKnown(dice[0])
    const account = 1 + Math.floor(dice[1] * this.#script.setting.accounts)
    if (known !== undefined) this.cancel(known, account)
  }

  cancel(known: Known, account: number): void {
    const { cancels, pipeline, model, watch } = this.#life
    const at = pipeline.clearing.lastSeq
    const isLive = model.isLive(known.slot, known.generation)
    const ownerId = model.ownerOf(known.slot, known.generation)
    const isOwn = ownerId === account
    const end = model.wasMatched(known.slot, known.generation) ? 'ORDER_FILLED' : 'ORDER_NOT_OPEN'
    // After a crash, the name of an order that was never confirmed may name one of another market.
    const marketId = pipeline.clearing.orders.marketOf(known.slot)
    const takerDelayMs = model.markets[marketId - 1]?.takerDelayMs ?? 0
    const orderId = pipeline.ids.text(known.slot, known.generation)
    const mode = model.controls.modeAt(pipeline.sequencer.nowMs())
    // The cancel of a busy account waits in its queue, and the mode may be over by then.
    const isHeld = pipeline.queues.isBusy(account)
    const reported = cancels.one(account, { orderId }).then((result) => {
      const name = rejectName(result)
      if (name === 'READ_TIMEOUT' || name === 'OVERLOADED') return
      watch.reported(at)
      const isRestricted = mode === 'disabled' && !isHeld
      assert(!isRestricted || name === 'TRADING_DISABLED', 'no cancel passes while disabled')
      // Trading may have been disabled during the search for the order.
      if (name === 'TRADING_DISABLED') return
      // A crash took the name back; while the cancel waits, anybody's next order may get it.
      if (isHeld && ownerId === 0) return
      if (!isOwn) assert.equal(name, 'ORDER_NOT_FOUND', "another's order does not exist")
      else if (!isLive) assert.equal(name, end, 'an order is canceled once')
      else {
        const isPublished = name === 'ORDER_RELEASE_IN_PROGRESS' && takerDelayMs > 0
        const isOver = name === 'ORDER_NOT_OPEN' || name === 'ORDER_FILLED'
        const isFair = isPublished || name === 'NONE' || isOver
        assert(isFair, `a live order may be canceled, not ${name}`)
      }
      if (name !== 'NONE') return
      assert(!model.isLive(known.slot, known.generation), 'a canceled order is gone')
      this.#memory.canceled.push({ seq: at + 1, order: known })
    })
    this.#life.follow(reported)
  }

  /** Sends an order in the place of another, which may be gone, or of another side. */
  replaceOrder({ row, dice }: Step, index: number): void {
    const known = this.#pickKnown(dice[0])
    if (known === undefined || isCancel(this.#script, row)) return
    const { pipeline, model } = this.#life
    const { slot, generation, account, marketId } = known
    const market = model.markets[marketId - 1]
    if (market === undefined || account > this.#script.setting.accounts) return
    const order = this.#orders.plain(row, index + 1, account)
    Object.assign(order, { marketId, book: market.book, orderType: 0 })
    const old = model.live.get(model.idOf(slot, generation))
    if (old !== undefined && dice[1] < 0.95) {
      order.side = old.request.side === 'buy' ? SIDE.BUY : SIDE.SELL
      order.outcome = TOKENS.indexOf(old.request.token)
      const reach = Math.floor(dice[1] * 60) - 20
      order.priceTicks = Number(old.request.price ?? 500_000n) / 1000
      this.#orders.reach(order, reach)
    }
    const filledRaw = pipeline.clearing.orders.filledSharesRawOf(slot)
    const seenFilledRaw = dice[0] < 0.5 ? null : Math.floor(filledRaw * dice[1])
    const amended = { slot, generation, seenFilledRaw }
    this.#send(order, -1, { ...this.#requestOf(order), amended })
  }

  /** Takes shares off an order, which may be gone, held or another's. */
  decreaseOrder({ dice }: Step): void {
    const known = this.#pickKnown(dice[0])
    if (known === undefined) return
    const { pipeline, model, watch } = this.#life
    const { slot, generation } = known
    const account = dice[1] < 0.95 ? known.account : 1
    const amended = { slot, generation, seenFilledRaw: null }
    const sizeRaw = Math.floor(pipeline.clearing.orders.sizeRawOf(slot) * dice[1])
    const isOwn = model.ownerOf(slot, generation) === account
    const at = pipeline.clearing.lastSeq
    const reported = pipeline.cancels
      .decrease(account, () => amended, sizeRaw)
      .then((result) => {
        if (result === REJECT.OVERLOADED) return
        watch.reported(at)
        if (result instanceof Reject) return
        assert(isOwn, 'only own orders are decreased')
        const { decreased, canceled, notOpen } = result
        assert.equal(
          decreased.length + canceled.length + notOpen.length,
          1,
          'one order is answered',
        )
      })
    this.#life.follow(reported)
  }

  /** Cancels by a client order id, now and then by one that names no order. */
  cancelNamed({ dice }: Step): void {
    const { cancels, pipeline, model, watch } = this.#life
    const keys = [...model.clientKeys]
    const key = keys[Math.floor(dice[0] * keys.length)] ?? '1:none'
    const account = Number(key.split(':', 1)[0])
    const clientOrderId = dice[1] < 0.1 ? 'none' : key.slice(key.indexOf(':') + 1)
    const named = `${account}:${clientOrderId}`
    const isLive = [...model.live.values()].some(({ clientKey }) => clientKey === named)
    const isKnown = model.clientKeys.has(named)
    const at = pipeline.clearing.lastSeq
    const reported = cancels.one(account, { clientOrderId }).then((result) => {
      const name = rejectName(result)
      if (name === 'OVERLOADED') return
      watch.reported(at)
      if (name === 'TRADING_DISABLED') return
      if (!isKnown) assert.equal(name, 'ORDER_NOT_FOUND', 'no order has the name')
      else if (!isLive) assert.equal(name, 'ORDER_NOT_OPEN', 'a named order is canceled once')
    })
    this.#life.follow(reported)
  }

  /** Cancels several orders of one account at once: live, dead, doubled, and one of another. */
  cancelBatch({ dice }: Step): void {
    const { cancels, pipeline, model, watch } = this.#life
    const first = this.#pickKnown(dice[0])
    if (first === undefined) return
    const at = pipeline.clearing.lastSeq
    const own = this.#memory.known.filter(({ account }) => account === first.account).slice(-12)
    const foreign = this.#memory.known.find(({ account }) => account !== first.account)
    const named = [...own, first, ...(foreign === undefined ? [] : [foreign])]
    const texts = named.map(({ slot, generation }) => {
      return { orderId: pipeline.ids.text(slot, generation) }
    })
    const reported = cancels.batch(first.account, texts).then((outcome) => {
      if (outcome instanceof Reject) {
        assert(REFUSED.has(outcome), rejectName(outcome))
        return
      }
      watch.reported(at)
      for (const { orderId } of outcome.canceled) {
        const name = pipeline.ids.parse(orderId)
        assert(name !== null && !model.isLive(name.slot, name.generation), 'a canceled one is gone')
        assert.equal(model.ownerOf(name.slot, name.generation), first.account, 'only own orders')
      }
    })
    this.#life.follow(reported)
  }

  cancelAll({ dice }: Step): void {
    const { everywhere, pipeline, watch } = this.#life
    const known = this.#pickKnown(dice[0])
    if (known === undefined) return
    const at = pipeline.clearing.lastSeq
    const live = pipeline.cancels.live(known.account, known.marketId).length
    const reported = everywhere.run(known.account, [known.marketId]).then((outcome) => {
      if (outcome instanceof Reject) {
        assert(REFUSED.has(outcome), rejectName(outcome))
        return
      }
      watch.reported(at)
      // The cancel may wait, for its queue or an earlier one, while further orders are stamped.
      const since = pipeline.clearing.lastSeq - at
      assert(outcome.orderIds.length <= live + since, 'no more are canceled than were open')
    })
    this.#life.opening++
    this.#life.follow(
      reported.finally(() => {
        this.#life.opening--
      }),
    )
  }

  /** Sends the widest cancels until the market's ring is full; other markets trade on. */
  cancelWide({ dice }: Step): void {
    const { pipeline, shards, threads } = this.#life
    const known = this.#pickKnown(dice[0])
    // The act bypasses the queues of accounts, which only sub-accounts have here.
    if (known === undefined || known.account > this.#script.setting.accounts) return
    const live = pipeline.cancels.live(known.account, known.marketId)
    if (live.length === 0) return
    const { book } = pipeline.clearing.catalogue.existing(known.marketId)
    const names = Array.from({ length: 1000 }, (_each, index) => live[index % live.length])
    for (const thread of threads) thread.isStalled = dice[1] < 0.7
    for (;;) {
      const seq = pipeline.sequencer.cancel(book, names)
      if (seq === REJECT.OVERLOADED) break
      if (seq === RELEASING || shards.of(book).isIdle) return
    }
    this.overloads++
    this.#life.assertLow(book)
  }
}
