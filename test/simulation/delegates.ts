// The calls that partners of a simulated world send for their sub-accounts. Each is signed and read
// as on a real exchange: one order, several orders, and cancels with their replacements.

import assert from 'node:assert/strict'
import type { PlaceOrder } from '../../engine/domain/command.ts'
import { LIMITS } from '../../engine/domain/limits.ts'
import { REJECT, Reject } from '../../engine/domain/reject-precedence.ts'
import type { ReplaceAnswer, ReplaceLegs } from '../../server/api/orders/services.ts'
import { signCall } from '../../server/auth/hmac-signature.ts'
import type { OrderAnswer, OrderCall } from '../../server/exchange/order-entry/order-answer.ts'
import type { BatchAnswer } from '../../server/exchange/order-entry/order-batches.ts'
import { FORM } from '../../server/messages/intake-layout.ts'
import { rejectName } from '../support/reject-name.ts'
import { unsignedBody } from './delegated-order.ts'
import { type Life, TOKEN_SECRET } from './life.ts'
import { Orders } from './orders.ts'
import type { SimCall, SimOrder } from './replicated.ts'
import { isCancel, type Script, type Step } from './script.ts'
import type { ClientMemory, Known } from './traders.ts'

/** An order as sent, and the refusal that the intake must give; NONE lets the order through. */
interface Sent {
  readonly order: PlaceOrder
  readonly body: object
  readonly expected: string
}

/** An order that another replaces. */
interface Replacement {
  readonly sent: Sent
  readonly target: Known
  readonly wasLive: boolean
  /** The refusal of its cancel when it was not live. */
  readonly end: 'ORDER_FILLED' | 'ORDER_NOT_OPEN'
  /** The owner of the named order; 0 when a crash took the name back for anybody's next order. */
  readonly ownerId: number
  readonly mayFail: boolean
}

const ORDERS_MAX = 8
const REPLACES_MAX = 4
/** More commands than the queue of an account holds. */
const CROWD = LIMITS.accountQueueMax + 40
const STALE_MS = 31_000
/** Refusals of a cancel that reveal nothing about the order. */
const UNREPORTED = new Set(['OVERLOADED', 'READ_TIMEOUT', 'TRADING_DISABLED', 'TOKEN_REVOKED'])
/** What a cancel frees: funds, shares, and places of orders. */
const FREED = new Set([
  'NONE',
  'INSUFFICIENT_COLLATERAL',
  'INSUFFICIENT_SHARES',
  'OPEN_ORDERS_LIMIT',
  'OPEN_SIZE_LIMIT',
  'POSITION_LIMIT',
  'AMOUNT_TOO_SMALL',
  'CAPACITY',
])
const OF_CALLER = new Set([
  'SCOPE_MISSING_TRADING',
  'SCOPE_MISSING_DELEGATED_SIGNING',
  'NOT_SUB_ACCOUNT',
  'NO_SERVER_WALLET',
])

export class Delegates {
  readonly #script: Script
  readonly #life: Life
  readonly #memory: ClientMemory
  readonly #orders: Orders
  readonly reported = new Map<string, number>()
  /** Calls without an answer so far. */
  open = 0
  replaced = 0
  #excused = 0
  #newestKey = ''

  constructor(script: Script, life: Life, memory: ClientMemory) {
    this.#script = script
    this.#life = life
    this.#memory = memory
    this.#orders = new Orders(script, life.model, life.published)
  }

  delegated(step: Step, index: number): void {
    const call = this.#call(step)
    const isAgain = (step.dice[0] * 71) % 1 < 0.15 && this.#newestKey !== ''
    const key = isAgain ? this.#newestKey : `order ${index} of its partner`
    const sent = this.#sent(call, step, key, index)
    if (sent === null) return
    this.#newestKey = key
    const expected = this.#life.replicated.refusalOfCall(call) ?? sent.expected
    const isCrowded = this.#isCrowded(1)
    this.open++
    this.#life.pipeline.orders.place(this.#signed(call, '/orders', sent.body), (answer) => {
      this.#life.checked(() => this.#answered({ ...sent, expected }, answer, isCrowded))
      this.open--
    })
    this.#learn(sent.order)
  }

  batch(step: Step, index: number): void {
    const call = this.#call(step)
    const count = 1 + (Math.floor(step.dice[1] * 97) % ORDERS_MAX)
    const all = this.#several(call, step, index, count)
    if (all.length === 0) return
    const isCrowded = this.#isCrowded(LIMITS.batchOrdersMax)
    const ofCall = this.#life.replicated.refusalOfCall(call)
    const answered = (batch: BatchAnswer) => {
      if (!('answers' in batch)) {
        this.#refused(all, rejectName(batch.reject), { ofCall, isCrowded })
        return
      }
      assert.equal(batch.answers.length, all.length, 'an answer for each order')
      for (const [at, sent] of all.entries()) this.#answered(sent, batch.answers[at], isCrowded)
    }
    this.open++
    const signed = this.#signed(call, '/orders/batch', { orders: all.map(({ body }) => body) })
    this.#life.pipeline.batches.place(signed, FORM.ORDERS, (batch) => {
      this.#life.checked(() => answered(batch))
      this.open--
    })
    for (const { order } of all) this.#learn(order)
  }

  replace(step: Step, index: number): void {
    this.#replace(step, index, 1)
  }

  replaces(step: Step, index: number): void {
    this.#replace(step, index, 1 + (Math.floor(step.dice[1] * 97) % REPLACES_MAX))
  }

  #replace(step: Step, index: number, count: number): void {
    const call = this.#call(step)
    const all = this.#several(call, step, index, count).flatMap((sent, at) => {
      const target = this.#targetOf(sent.order.accountId, step.dice[at % 2])
      return target === undefined ? [] : [this.#replacement(sent, target, step.dice[1] * (at + 1))]
    })
    if (all.length === 0) return
    const isSingle = step.act !== 'replaces'
    const operations = all.map((each) => this.#operationOf(each))
    const body = isSingle ? operations[0] : { operations }
    const path = isSingle ? '/orders/cancel-replace' : '/orders/cancel-replace/batch'
    const isCrowded = this.#isCrowded(LIMITS.batchOrdersMax)
    const ofCall = this.#life.replicated.refusalOfCall(call)
    this.open++
    const form = isSingle ? FORM.REPLACE : FORM.REPLACES
    this.#life.replaces.run(this.#signed(call, path, body), form, (answer) => {
      this.#life.checked(() => this.#carriedOut(all, answer, { ofCall, isCrowded, isSingle }))
      this.open--
    })
  }

  /** Fills the queue of a busy account to its bound: further commands are refused. */
  async crowd(step: Step, index: number): Promise<void> {
    const { pipeline, cancels } = this.#life
    this.#replace(step, index, 1)
    // The call goes on by promises alone: no event-loop tick passes.
    for (let hops = 0; hops < 16 && pipeline.queues.count === 0; hops++) await null
    const subAccounts = [...this.#life.model.partners.subAccounts.keys()]
    const held = subAccounts.find((accountId) => pipeline.queues.isBusy(accountId))
    if (held === undefined) return
    const isAlone = pipeline.queues.count === 1
    const before = { waiting: pipeline.queues.waiting, rejected: this.#life.rejected }
    const orderId = pipeline.ids.text(1, 1)
    const results: Promise<unknown>[] = []
    for (let sent = 0; sent < CROWD; sent++) results.push(cancels.one(held, { orderId }))
    const taken = pipeline.queues.waiting - before.waiting
    const rejected = this.#life.rejected - before.rejected
    assert.equal(taken + rejected, CROWD, 'a command of a busy account waits or is refused')
    assert(rejected > 0 && taken <= LIMITS.accountQueueMax, 'a queue has a bound')
    if (isAlone) assert.equal(pipeline.queues.waiting, LIMITS.accountQueueMax, 'it is used')
    const reported = Promise.all(results).then((rejects) => {
      const refused = rejects.filter((reject) => reject === REJECT.OVERLOADED)
      assert(refused.length >= rejected, 'a command beyond the capacity is refused')
    })
    this.#life.follow(reported)
  }

  /** Signs with a partner's token, now and then with another token or badly. */
  #call({ dice }: Step): SimCall {
    const odd = Math.floor(dice[1] * 1009) % 60
    const tokens = [...this.#life.model.tokens].filter(([_id, { scopes, isRevoked }]) => {
      return odd < 2 || (!isRevoked && scopes.includes('delegated_signing'))
    })
    const [tokenId] = tokens[Math.floor(dice[0] * 997) % tokens.length] ?? ['none']
    return { tokenId: odd === 2 ? 'none' : tokenId, isStale: odd === 3, isForged: odd === 4 }
  }

  #signed(call: SimCall, pathWithQuery: string, fields: object): OrderCall {
    const nowMs = this.#life.nowMs() - (call.isStale ? STALE_MS : 0)
    const body = Buffer.from(JSON.stringify(fields))
    const timestamp = new Date(nowMs).toISOString()
    const emitted = { method: 'POST', pathWithQuery, timestamp, body }
    const signature = signCall({ ...emitted, secret: call.isForged ? body : TOKEN_SECRET })
    return { ...emitted, signature, apiKey: call.tokenId, timesRow: 0 }
  }

  #several(call: SimCall, step: Step, index: number, count: number): Sent[] {
    return Array.from({ length: count }, (_each, at) => {
      return this.#sent(call, step, `order ${index}.${at} of its partner`, index, at)
    }).flatMap((sent) => sent ?? [])
  }

  /** A row's order for a sub-account. `at` is its place in a batch; later orders reach less far. */
  #sent(call: SimCall, step: Step, key: string, index: number, at = 0): Sent | null {
    const { model, published } = this.#life
    if (isCancel(this.#script, step.row)) return null
    const odd = Math.floor(step.dice[0] * 1013 + at) % 40
    const actorId = this.#actorOf(call, step.dice[1] + at / 7, odd === 0)
    if (actorId === 0) return null
    const order = this.#orders.plain(step.row, index + 1, actorId)
    order.clientOrderId = key
    // About half of them rest; within a batch each order reaches less far.
    this.#orders.reach(order, Math.floor(step.dice[1] * 120) - 90 - at * 3)
    if (odd > 30) this.#orders.typed(order, step.dice)
    if (odd > 37) this.#orders.market(order, [0, step.dice[1]])
    const spec = published.byId(order.marketId)?.market
    const other = published.byId(1 + (order.marketId % model.markets.length))?.market
    if (spec === undefined || other === undefined || other.yesTokenId === '') return null
    const slug = odd === 2 ? 'atlantis' : spec.slug
    const from = odd === 3 ? other : spec
    const tokenId = order.outcome === 0 ? from.yesTokenId : from.noTokenId
    const isOdd = odd === 4 && !order.marketForm
    const claims: SimOrder = { actorId, slug, tokenId, isOdd }
    const expected = this.#life.replicated.refusalOfOrder(call, claims) ?? 'NONE'
    return { order, body: unsignedBody(order, claims, { salt: (index + 1) * 64 + at }), expected }
  }

  #actorOf(call: SimCall, dice: number, isStranger: boolean): number {
    const { partners, rates, tokens } = this.#life.model
    const partnerId = tokens.get(call.tokenId)?.profileId
    const all = [...partners.subAccounts].filter(([, made]) => made.partnerId === partnerId)
    const anyone = 1 + (Math.floor(dice * 997) % (rates.length - 1))
    if (isStranger || all.length === 0) return partners.subAccounts.size === 0 ? 0 : anyone
    return all[Math.floor(dice * 997) % all.length][0]
  }

  /** A live order of the account, now and then a dead one or another account's. */
  #targetOf(accountId: number, dice: number): Known | undefined {
    const { known } = this.#memory
    const own = known.filter((each) => each.account === accountId)
    const live = own.filter(({ slot, generation }) => this.#life.model.isLive(slot, generation))
    const from = dice < 0.04 ? known : dice < 0.2 || live.length === 0 ? own : live
    return from[Math.floor(dice * 997) % from.length]
  }

  #replacement(sent: Sent, target: Known, dice: number): Replacement {
    const { model } = this.#life
    const wasLive = model.isLive(target.slot, target.generation)
    const ownerId = model.ownerOf(target.slot, target.generation)
    const wasMatched = model.wasMatched(target.slot, target.generation)
    const end = wasMatched ? 'ORDER_FILLED' : 'ORDER_NOT_OPEN'
    return { sent, target, wasLive, end, ownerId, mayFail: dice % 1 < 0.3 }
  }

  #operationOf({ sent, target, mayFail }: Replacement): object {
    const { onBehalfOf, ...replacement } = { onBehalfOf: undefined, ...sent.body }
    const orderId = this.#life.pipeline.ids.text(target.slot, target.generation)
    const mode = mayFail ? 'ALLOW_FAILURE' : 'STOP_ON_FAILURE'
    return { cancel: { orderId }, replacement, mode, onBehalfOf }
  }

  /** True when so many orders are under way that a call may exceed the capacity. */
  #isCrowded(orders: number): boolean {
    return !this.#life.pipeline.orders.hasCapacity(orders)
  }

  #learn({ accountId, clientOrderId }: PlaceOrder): void {
    const made = this.#life.watch.lines.decisionsOf(accountId, clientOrderId).at(-1)
    if (made === undefined || made.refusal !== null) return
    const { slot, generation, marketId } = made.order
    this.#memory.learn({ slot, generation, account: accountId, marketId })
  }

  #note(what: string): void {
    this.reported.set(what, (this.reported.get(what) ?? 0) + 1)
  }

  #refused(
    all: readonly Sent[],
    name: string,
    { ofCall, isCrowded }: { readonly ofCall: string | null; readonly isCrowded: boolean },
  ): void {
    this.#note(`call ${name}`)
    if (name === 'OVERLOADED' && isCrowded) return
    if (this.#isOvertaken(all, name)) return
    assert.equal(name, ofCall, 'what the intake says of a call')
  }

  /** Whether a right of the caller ended while the call was on its way. */
  #isOvertaken(all: readonly Sent[], name: string): boolean {
    return name === 'TOKEN_REVOKED' || this.#hasLeft(all, name)
  }

  #hasLeft(all: readonly Sent[], name: string): boolean {
    const { leaving } = this.#memory
    return name === 'NOT_SUB_ACCOUNT' && all.some(({ order }) => leaving.has(order.accountId))
  }

  /** One order came to its end, or was refused before. */
  #answered(sent: Sent, answer: OrderAnswer, isCrowded: boolean): void {
    const { order, expected } = sent
    const { watch, pipeline, model } = this.#life
    this.#note(`order ${'text' in answer ? 'NONE' : rejectName(answer.reject)}`)
    if ('text' in answer) {
      this.#accepted(order, answer.text)
      return
    }
    const name = rejectName(answer.reject)
    if (expected !== 'NONE') {
      const isMet = name === expected || isCrowded || this.#hasLeft([sent], name)
      assert(isMet, `${name} for ${expected}`)
      return
    }
    if (this.#isOvertaken([sent], name) || isCrowded) return
    const made = watch.lines.decisionsOf(order.accountId, order.clientOrderId)
    const would = made.find(({ refusal }) => refusal === null)
    if (name === 'POST_ONLY_WOULD_MATCH' && would !== undefined) {
      watch.reported(would.order.seq)
      return
    }
    const same = made.find(({ refusal }) => refusal === answer.reject)
    if (name === 'OVERLOADED') {
      if (same === undefined) this.#excuse()
      return
    }
    assert(same !== undefined, `${name} is the decision`)
    watch.reported(same.at)
    assert(pipeline.clearing.lastSeq >= model.seq)
  }

  /** A refusal before the cancel is no decision: what the cancel frees may help. */
  #foreseen(sent: Sent, answer: OrderAnswer, isCrowded: boolean): void {
    const name = 'text' in answer ? 'NONE' : rejectName(answer.reject)
    this.#note('cancel NOT_ATTEMPTED')
    assert(!FREED.has(name), `${name} is decided after the cancel`)
    if (sent.expected !== 'NONE') this.#answered(sent, answer, isCrowded)
    else this.#note(`order ${name}`)
  }

  /** A command found the queue of its account full. */
  #excuse(): void {
    this.#excused++
    assert(this.#excused <= this.#life.rejected, 'no command is refused below the capacity')
  }

  #accepted({ accountId, clientOrderId }: PlaceOrder, text: string): void {
    const { watch, pipeline } = this.#life
    const { order, execution } = JSON.parse(text)
    const made = watch.lines.decisionsOf(accountId, clientOrderId).find((each) => {
      return (
        each.refusal === null &&
        pipeline.ids.text(each.order.slot, each.order.generation) === order.id
      )
    })
    assert(made !== undefined, 'a reply names an order of the account')
    watch.reported(made.order.seq)
    const answer = watch.answers.get(made.order.seq)
    assert(answer !== undefined, 'a reply follows its answer')
    assert.equal(execution.totalsRaw.contractsGross, String(answer.shares), 'shares of a reply')
    assert.equal(execution.totalsRaw.usdGross, String(answer.collateral), 'collateral of a reply')
    assert.equal(order.ownerId, accountId, 'the order is for the sub-account')
    this.#memory.accept(made.order)
  }

  #carriedOut(
    all: readonly Replacement[],
    answer: ReplaceAnswer,
    how: { ofCall: string | null; isCrowded: boolean; isSingle: boolean },
  ): void {
    if (!('legs' in answer)) {
      const name = rejectName(answer.reject)
      const ofOne =
        how.isSingle && OF_CALLER.has(all[0].sent.expected) ? all[0].sent.expected : null
      const ofCall = how.ofCall ?? ofOne
      const sent = all.map((each) => each.sent)
      this.#refused(sent, name, { ofCall, isCrowded: how.isCrowded })
      return
    }
    assert.equal(how.ofCall, null, 'a refused call carries nothing out')
    assert.equal(answer.legs.length, all.length, 'both legs of each operation')
    for (const [at, each] of all.entries()) this.#legs(each, answer.legs[at], how.isCrowded)
  }

  #legs({ sent, target, mayFail, ...was }: Replacement, legs: ReplaceLegs, isCrowded: boolean) {
    const { watch, model } = this.#life
    const { accountId, clientOrderId } = sent.order
    const made = watch.lines.decisionsOf(accountId, clientOrderId)
    if (legs.cancel === null) {
      assert(legs.replacement !== null && 'reject' in legs.replacement, 'it is refused before')
      assert.equal(made.length, 0, 'a replacement that is refused before is not decided')
      this.#foreseen(sent, legs.replacement, isCrowded)
      return
    }
    const isCanceled = !(legs.cancel instanceof Reject)
    const name = legs.cancel instanceof Reject ? rejectName(legs.cancel) : 'NONE'
    this.#note(`cancel ${name}`)
    if (OF_CALLER.has(sent.expected) && !this.#isOvertaken([sent], name)) {
      assert.equal(name, sent.expected, 'a caller without the right cancels nothing of the account')
    } else if (!this.#hasLeft([sent], name)) this.#cancelLeg(name, { ...was, accountId })
    const isStopped = !isCanceled && !mayFail
    const isUntried =
      OF_CALLER.has(name) || this.#isOvertaken([sent], name) || name === 'OVERLOADED'
    if (legs.replacement === null) {
      assert(isStopped || isUntried, 'a replacement is tried when the cancel went through')
      assert.equal(made.length, 0, 'a replacement that is not tried is not decided')
      return
    }
    assert(!isStopped, 'a failed cancel stops its replacement')
    this.#answered(sent, legs.replacement, isCrowded)
    this.#learn(sent.order)
    if (!isCanceled) return
    assert(!model.isLive(target.slot, target.generation), 'a canceled order is gone')
    this.replaced++
    if (made.length === 0) return
    const { before } = made[0]
    const { slot, generation } = target
    const expected = { slot, generation }
    assert.deepEqual(before?.target, expected, 'nothing comes between a cancel and its replacement')
    this.#memory.canceled.push({ seq: before?.seq ?? 0, order: target })
  }

  #cancelLeg(
    name: string,
    was: Pick<Replacement, 'wasLive' | 'ownerId' | 'end'> & { readonly accountId: number },
  ): void {
    if (UNREPORTED.has(name) || was.ownerId === 0) return
    const isOwn = was.ownerId === was.accountId
    if (!isOwn) assert.equal(name, 'ORDER_NOT_FOUND', "another's order does not exist")
    else if (!was.wasLive) assert.equal(name, was.end, 'an order is canceled once')
    else {
      const isFair = [
        'NONE',
        'ORDER_NOT_OPEN',
        'ORDER_FILLED',
        'ORDER_RELEASE_IN_PROGRESS',
      ].includes(name)
      assert(isFair, `a live order may be canceled, not ${name}`)
    }
  }
}
