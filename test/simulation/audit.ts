// Checks the whole of a simulated exchange: the invariants, and equality with the model.

import assert from 'node:assert/strict'
import { eachHeld, eachResting } from '../../engine/core/book/market.ts'
import { filledInWindowRaw } from '../../engine/core/orders/order-groups.ts'
import { STATE } from '../../engine/core/orders/order-table.ts'
import {
  claimsOf,
  heldIn,
  shareReports,
  sumsOf,
  uncoveredRaw,
} from '../../engine/core/state/claims.ts'
import { brokenInvariant } from '../../engine/core/state/invariants.ts'
import { bookDigest, stateHash } from '../../engine/core/state/state-hash.ts'
import { SYSTEM_ACCOUNTS } from '../../engine/domain/ids.ts'
import { BOUNDARY_WAIT_MS } from '../../engine/domain/markets/series.ts'
import type { Life } from './life.ts'
import { statusOf } from './market-model.ts'
import { profilesOf } from './money-watch.ts'
import { TOKENS } from './orders.ts'

/** Checks what holds at any moment, however late markets and disk are. */
export function walk(life: Life): void {
  const { clearing } = life.pipeline
  assert.equal(brokenInvariant(clearing), null)
  compareClaims(life)
  life.watch.money.everythingHolds()
  compareMoney(life)
  compareOrders(life)
  comparePublic(life)
  compareAddresses(life)
  comparePacks(life)
  compareReferrals(life)
  compareGroups(life)
}

/** The count of obligations (rules §14) gives the assets, and every share is covered. */
function compareClaims({ pipeline: { clearing } }: Life): void {
  const claims = claimsOf(heldIn(clearing))
  const { differenceRaw, assetsRaw } = sumsOf(claims)
  assert.equal(differenceRaw, 0n, 'assets, debts and advances cover the obligations')
  assert.equal(assetsRaw, BigInt(clearing.ledger.fundedRaw))
  for (const market of claims.markets) {
    assert.equal(uncoveredRaw(market), 0n, 'shares are covered')
    for (const report of shareReports(market)) assert.equal(report.differenceRaw, 0n, report.token)
  }
}

/** Each is owed what he earned by those whom he referred, and nothing else is owed. */
function compareReferrals({ pipeline: { clearing }, model }: Life): void {
  const { today, due, shareParts } = clearing.rewards
  const waiting = shareParts.capture().map(([marketId, account, yesRaw, noRaw]) => {
    return [marketId, account, BigInt(yesRaw), BigInt(noRaw)]
  })
  assert.deepEqual(waiting, model.referrals.waiting(), 'parts that wait for their payouts')
  for (const account of profilesOf(clearing.accounts.count)) {
    const owed = [today, due].map((table) => table.of(account) ?? { rewardRaw: 0, rebateRaw: 0 })
    const [rewardRaw, rebateRaw] = [
      owed[0].rewardRaw + owed[1].rewardRaw,
      BigInt(owed[0].rebateRaw) + BigInt(owed[1].rebateRaw),
    ]
    assert.equal(rewardRaw, 0, 'nobody earns for his orders here')
    assert.equal(rebateRaw, model.referrals.owedTo(account), 'what is owed for referrals')
  }
}

function compareMoney({ pipeline, model }: Life): void {
  const { ledger, accounts, catalogue } = pipeline.clearing
  for (const account of [...SYSTEM_ACCOUNTS, ...profilesOf(accounts.count)]) {
    const { free, locked } = model.slow.cash(account)
    assert.equal(ledger.freeRaw(account), Number(free), 'free collateral')
    assert.equal(ledger.reservedRaw(account), Number(locked), 'locked collateral')
  }
  for (let row = 1; row < ledger.rows.end; row++) {
    const [account, marketId] = [ledger.rows.accountOf(row), ledger.rows.marketOf(row)]
    for (const outcome of [0, 1]) {
      const { free, locked } = model.slow.shares(account, marketId, TOKENS[outcome])
      assert.equal(ledger.sharesFreeRaw[row * 2 + outcome], Number(free), 'free shares')
      assert.equal(ledger.sharesReservedRaw[row * 2 + outcome], Number(locked), 'locked shares')
    }
  }
  for (let marketId = 1; marketId <= model.markets.length; marketId++) {
    const insideRaw = catalogue.byId(marketId)?.conditionRaw ?? 0
    assert.equal(BigInt(insideRaw), model.slow.inside(marketId))
  }
  const { slow, withdrawals } = model
  assert.equal(BigInt(ledger.fundedRaw), slow.deposits - withdrawals, 'deposits less withdrawals')
}

/** Main's view: orders rest and are held as in the model; any other live order is under way. */
function compareOrders({ pipeline, model }: Life): void {
  const { orders, catalogue, seen } = pipeline.clearing
  const openRaw: number[] = []
  let open = 0
  let held = 0
  for (let slot = 1; slot <= orders.highSlot; slot++) {
    if (orders.stateOf(slot) === STATE.FREE) continue
    assert(model.live.has(orders.seqOf(slot)), 'every kept order lives in the model')
    const marketId = orders.marketOf(slot)
    openRaw[marketId] = (openRaw[marketId] ?? 0) + orders.leftRawOf(slot)
    if (orders.stateOf(slot) === STATE.OPEN) open++
    if (orders.stateOf(slot) === STATE.HELD) held++
  }
  assert.equal(orders.live.all, model.live.size, 'orders that live')
  assert.equal(open, model.slow.resting.length, 'orders that rest')
  assert.equal(held, model.slow.held.length, 'held orders')
  for (const { id, left, locked } of model.slow.resting) {
    const order = model.live.get(id)
    assert(order !== undefined, 'what rests lives')
    assert.equal(
      Number(left) + order.filledRaw,
      Number(order.request.shares),
      'filled plus left is the size',
    )
    assert(locked >= 0n, 'nothing locked is negative')
  }
  for (const { marketId, openSizeRaw } of catalogue.all()) {
    assert.equal(openSizeRaw, openRaw[marketId] ?? 0, 'the open size of a market')
  }
  assert.equal(seen.count, model.hashes.size, 'hashes in use')
  assert.equal(seen.clientIdCount, model.clientKeys.size, 'client ids in use')
}

/** Invariant 1: the public view of each market is no newer than the disk. */
function comparePublic({ published, journal, watch, model }: Life): void {
  for (const { market, status, depth } of published.all()) {
    const known = model.venue.isKnownStatus(market.marketId, status, journal.durableSeq)
    assert(known, 'a shown status is durable')
    const shown = [...depth.bids(), ...depth.asks()].reduce((sum, level) => sum + level.sizeRaw, 0)
    assert.equal(
      shown,
      watch.publicRaw[market.marketId] ?? 0,
      'depth moves by durable records only',
    )
  }
}

/** With nothing under way: compares the books themselves, and what is shown of them. */
export function compareBooks(life: Life): void {
  const { orders, catalogue } = life.pipeline.clearing
  for (const { market, depth, status } of life.published.all()) {
    const lines = life.model.slow.book(market.marketId)
    const levels = new Map<number, number>()
    let at = 0
    const { book } = catalogue.existing(market.marketId)
    eachResting(book, (ticks, slot, _owner, leftRaw) => {
      const line = lines[at++]
      assert.equal(orders.seqOf(slot), line?.id, 'orders in sequence')
      assert.equal(ticks, line?.ticks, 'at its price')
      assert.equal(leftRaw, line?.left, 'with its size')
      levels.set(ticks, (levels.get(ticks) ?? 0) + leftRaw)
    })
    assert.equal(at, lines.length, 'lines of a book')
    const held: number[] = []
    eachHeld(book, (_ticks, slot) => held.push(orders.seqOf(slot)))
    const waiting = life.model.slow.held.filter((each) => each.market === market.marketId)
    assert.deepEqual(
      held,
      waiting.map(({ id }) => id),
      'held orders in sequence',
    )
    const bids = depth.bids()
    const asks = depth.asks()
    for (const { ticks, sizeRaw } of [...bids, ...asks]) assert.equal(sizeRaw, levels.get(ticks))
    assert.equal(bids.length + asks.length, levels.size, 'shown levels')
    assert((bids[0]?.ticks ?? 0) < (asks[0]?.ticks ?? 1000), 'a book is never crossed')
    assert.equal(status, life.model.status(market.marketId), 'everything durable is shown')
  }
}

/** A market that takes no more orders is empty once its last cancels are through. */
export function closedAreEmpty({ model }: Life): void {
  for (const { request } of model.live.values()) {
    const isOpen = model.venue.takesOrders(request.market)
    assert(isOpen, 'a closed market gives every order back')
  }
}

/** A heartbeat has left no earlier order once its last cancels are through. */
export function firedAreGone({ model }: Life): void {
  for (const [id, { request }] of model.live) {
    const beat = model.controls.beats.get(request.owner)
    const firedSeq = model.controls.isFired(request.owner) ? (beat?.firedSeq ?? 0) : 0
    assert(id > firedSeq, 'a heartbeat takes every order that came before it')
  }
}

/** A freeze has left no order once its last cancels are through. */
export function frozenAreGone({ model }: Life): void {
  for (const { request } of model.live.values()) {
    assert(!model.controls.frozen.has(request.owner), 'a freeze takes every order of its profile')
  }
}

/** The groups of orders, with what their orders have filled in the window. */
function compareGroups({ pipeline: { clearing }, model }: Life): void {
  const { orders, orderGroups, lastNowMs } = clearing
  const groups = orderGroups.all().map((group) => {
    const { id, profileId, openedSeq, closedSeq, removedSeq, keptSeq } = group
    const live = [...group.orders].map((slot) => orders.seqOf(slot)).sort((a, b) => a - b)
    const filledRaw = filledInWindowRaw(group, lastNowMs)
    return [id, profileId, openedSeq, closedSeq, removedSeq, keptSeq, filledRaw, live]
  })
  assert.deepEqual(groups, model.orderGroups.state(model.ofGroups), 'order groups')
}

/** A group that is closed or removed has left no order once its last cancels are through. */
export function groupsAreGone({ model }: Life): void {
  model.orderGroups.assertGone(model.ofGroups)
}

/** The wallets to which profiles may send their money. */
function compareAddresses({ pipeline, model }: Life): void {
  const { accounts } = pipeline.clearing
  for (let profileId = 1; profileId <= accounts.count; profileId++) {
    const listed = accounts.withdrawalAddresses.of(profileId).map(({ address }) => address)
    assert.deepEqual(listed, model.partners.addresses.get(profileId) ?? [], 'listed addresses')
  }
}

/** The packs that are not over, each leg as far as it is counted, and the offers. */
function comparePacks({ pipeline: { clearing }, model }: Life): void {
  const packs = [...clearing.packs.all()].map((pack) => {
    const { packId, ownerId, makerId, stakeRaw, payoutRaw, results } = pack
    return [packId, ownerId, makerId ?? 0, BigInt(stakeRaw), BigInt(payoutRaw), results]
  })
  const expected = [...model.packs.packs].map(([packId, { owner, maker, stake, payout, legs }]) => {
    return [packId, owner, maker, stake, payout, legs.map(({ result }) => result)]
  })
  assert.deepEqual(packs, expected, 'packs')
  const offers = [...clearing.packs.offers()].map(({ offerId }) => offerId)
  assert.deepEqual(offers, [...model.packs.offers.keys()], 'offers of packs')
  const listed = [...clearing.packs.curated.all()].map(({ packId, name, legs }) => {
    return [packId, { name, legs }]
  })
  assert.deepEqual(listed, [...model.packs.listed], 'curated packs')
}

/** Once everything is at rest, every resolved market has counted. */
export function packsAreCounted({ model, pipeline }: Life): void {
  for (const [index, { payout }] of model.markets.entries()) {
    const isDue = payout !== null && model.packs.waits(index + 1)
    assert(!isDue, 'a resolved market counts for its packs')
  }
  const nowMs = pipeline.sequencer.nowMs()
  for (const { expiresMs } of model.packs.offers.values()) {
    assert(expiresMs > nowMs, 'no offer outlives its time')
  }
}

/** Once every answer is out, the intake knows the present state of every account. */
export function intakeKnows({ replicated, model }: Life): void {
  const valid = [...model.tokens].filter(([, { isRevoked }]) => !isRevoked)
  assert.equal(replicated.tokens.size, valid.length, 'valid tokens')
  for (const [tokenId, { profileId, scopes }] of valid) {
    const known = replicated.tokens.get(tokenId)
    assert.equal(known?.profileId, profileId, 'the profile of a token')
    assert.deepEqual(known.scopes, scopes, 'the scopes of a token')
  }
  for (const [profileId, made] of model.partners.subAccounts) {
    const known = replicated.profiles.get(profileId)
    assert.equal(known?.partnerId, made.partnerId, 'the partner of a sub-account')
    assert.equal(known.keyBase64 !== '', made.hasWallet, 'a server wallet has its key')
    assert.deepEqual(known.approved, made.approved, 'the approvals of a wallet')
    assert.equal(known.feeBps, model.rates[profileId] ?? 0, 'the rate its orders must sign')
  }
  const left = model.markets.filter(({ kind, isArchived }) => kind !== 'group' && !isArchived)
  assert.equal(replicated.markets.size, left.length, 'markets')
}

/** Once everything is at rest, no step of a slot that fits in the journal is due. */
export function slotsAreOnTime({ pipeline, model }: Life): void {
  const nowMs = pipeline.sequencer.nowMs()
  const { series, all: markets } = model.venue
  for (const boundary of series.boundaries.values()) {
    const isOver = nowMs >= boundary.atMs + BOUNDARY_WAIT_MS
    assert(boundary.valueE8 !== null || !isOver, 'no boundary waits for ever')
    if (boundary.valueE8 === null) continue
    for (const market of series.waiting(boundary, markets)) {
      assert.equal(statusOf(market), 'FUNDED', 'no slot waits for a value that is known')
      assert((market.deadlineMs ?? 0) > boundary.atMs, 'a slot that is over is closed')
    }
  }
  for (const { isEnded, lastEndMs, slotsAhead, slotMs } of series.all) {
    assert(isEnded || lastEndMs - slotsAhead * slotMs > nowMs, 'slots are created ahead')
  }
}

/** The hash of the live state; nothing may be under way. */
export function liveHash({ pipeline: { clearing } }: Life): string {
  return stateHash(
    clearing,
    clearing.catalogue.openBooks().map((book) => bookDigest(book)),
  )
}
