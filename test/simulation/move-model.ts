// Models money that moves outside trading, by commands alone: pairs, redemptions, conversions and
// withdrawals, in the purses of the reference model.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { ControlCommand } from '../../engine/domain/command.ts'
import { BURN_ACCOUNT, FEE_ACCOUNT, VAULT_ACCOUNT } from '../../engine/domain/ids.ts'
import type { MoveRequest } from '../../server/api/portfolio/services.ts'
import type { SlowExchange } from '../support/reference-book.ts'
import type { MarketsModel } from './markets-model.ts'

type Of<Kind extends ControlCommand['kind']> = Extract<ControlCommand, { kind: Kind }>

/** Rounds down, below zero too. */
function floorDiv(a: bigint, b: bigint): bigint {
  const whole = a / b
  return a % b !== 0n && a < 0n ? whole - 1n : whole
}

/** Names a call as its command does (rules §6.4). */
export function digestOfCall({ callerId, idempotencyKey, signature }: MoveRequest): string {
  const isKeyed = idempotencyKey !== undefined
  const text = isKeyed ? `key\n${callerId}\n${idempotencyKey}` : `signed\n${signature}`
  return createHash('sha256').update(text).digest('hex')
}

export class MoveModel {
  readonly #slow: SlowExchange
  readonly #venue: MarketsModel
  /** Until when each call is remembered. */
  readonly #calls: Map<string, number>

  constructor(slow: SlowExchange, venue: MarketsModel, calls: Map<string, number>) {
    this.#slow = slow
    this.#venue = venue
    this.#calls = calls
  }

  /** A call is made once while it is remembered, whatever crashed meanwhile. */
  #once(command: ControlCommand): void {
    if (!('once' in command) || command.once === undefined) return
    const { digest, untilMs } = command.once
    assert((this.#calls.get(digest) ?? 0) <= command.nowMs, 'a call is made once')
    this.#calls.set(digest, untilMs)
  }

  /** What the command withdraws from the exchange. */
  admit(command: ControlCommand): bigint {
    this.#once(command)
    switch (command.kind) {
      case 'splitPosition':
        this.#pairs(command, BigInt(command.amountRaw))
        return 0n
      case 'mergePositions':
        this.#pairs(command, -BigInt(command.amountRaw))
        return 0n
      case 'redeemPositions':
        this.#redeem(command)
        return 0n
      case 'convertPositions':
        this.#convert(command)
        return 0n
      case 'withdraw': {
        const amount = BigInt(command.collateralRaw)
        const cash = this.#slow.cash(command.profileId)
        assert(amount > 0n && cash.free >= amount, 'only free collateral leaves')
        cash.free -= amount
        return amount
      }
      default:
        return 0n
    }
  }

  /** Makes pairs of collateral; a negative count unmakes them. */
  #pairs({ profileId, marketId }: Of<'splitPosition' | 'mergePositions'>, count: bigint): void {
    assert.notEqual(this.#venue.status(marketId), 'RESOLVED', 'pairs end with their market')
    const yes = this.#slow.shares(profileId, marketId, 'yes')
    const no = this.#slow.shares(profileId, marketId, 'no')
    const cash = this.#slow.cash(profileId)
    yes.free += count
    no.free += count
    cash.free -= count
    const isCovered = count > 0n ? cash.free >= 0n : yes.free >= 0n && no.free >= 0n
    assert(isCovered, 'pairs are made and unmade of what is free')
    this.#slow.moveInside(marketId, count)
  }

  #redeem({ marketId, positions }: Of<'redeemPositions'>): void {
    const { payout, groupId } = this.#venue.all[marketId - 1]
    assert(payout !== null && this.#venue.paid.has(marketId), 'a redemption follows the payout')
    const [yesPart, noPart] = payout.map(BigInt)
    const whole = yesPart + noPart
    for (const { accountId, yesRaw, noRaw, paidRaw } of positions) {
      const yes = this.#slow.shares(accountId, marketId, 'yes')
      const no = this.#slow.shares(accountId, marketId, 'no')
      assert(yes.locked === 0n && no.locked === 0n, 'no order holds shares of a paid market')
      assert.deepEqual([BigInt(yesRaw), BigInt(noRaw)], [yes.free, no.free], 'all of it is given')
      const paid = floorDiv(yes.free * yesPart, whole) + floorDiv(no.free * noPart, whole)
      assert.equal(BigInt(paidRaw), paid, 'a redemption pays its parts, each rounded down')
      yes.free = 0n
      no.free = 0n
      this.#slow.moveInside(marketId, -paid)
      if (accountId === BURN_ACCOUNT) this.#slow.moveInside(groupId, paid)
      else this.#slow.cash(accountId).free += paid
    }
    if (this.#slow.isHeld(marketId)) return
    const left = this.#slow.inside(marketId)
    assert(left >= 0n, 'a market pays no more than it holds')
    this.#slow.moveInside(marketId, -left)
    this.#slow.cash(FEE_ACCOUNT).free += left
  }

  #convert({ profileId, groupId, noMarketIds, amountRaw, feeRaw }: Of<'convertPositions'>): void {
    const amount = BigInt(amountRaw)
    const { convertFeeBps } = this.#venue.all[groupId - 1]
    const fee = (amount * BigInt(convertFeeBps)) / 10_000n
    assert.equal(BigInt(feeRaw), fee, 'the fee of a conversion is that of its group')
    const children = this.#venue.childrenOf(groupId)
    const unknown = noMarketIds.filter((marketId) => !children.includes(marketId))
    assert.deepEqual(unknown, [], 'a conversion stays in its group')
    for (const child of children) {
      this.#slow.shares(BURN_ACCOUNT, child, 'no').free += amount
      if (noMarketIds.includes(child)) {
        const no = this.#slow.shares(profileId, child, 'no')
        assert(no.free >= amount, 'a conversion takes what is free')
        no.free -= amount
        continue
      }
      this.#slow.moveInside(child, amount)
      this.#slow.shares(profileId, child, 'yes').free += amount - fee
      this.#slow.shares(VAULT_ACCOUNT, child, 'yes').free += fee
    }
    const paidTimes = BigInt(noMarketIds.length - 1)
    this.#slow.cash(profileId).free += paidTimes * (amount - fee)
    this.#slow.cash(VAULT_ACCOUNT).free += paidTimes * fee
    this.#slow.moveInside(groupId, -BigInt(children.length - 1) * amount)
  }
}

/** The accounts and markets whose balances a command moved outside trading. */
export function touchedBy(
  command: ControlCommand,
  venue: MarketsModel,
): readonly (readonly [account: number, marketId: number])[] {
  switch (command.kind) {
    case 'splitPosition':
    case 'mergePositions':
      return [[command.profileId, command.marketId]]
    case 'redeemPositions': {
      const { marketId, positions } = command
      const { groupId } = venue.all[marketId - 1]
      const ofGroup = groupId === 0 ? [] : [[BURN_ACCOUNT, groupId] as const]
      return [...positions.map(({ accountId }) => [accountId, marketId] as const), ...ofGroup]
    }
    case 'convertPositions': {
      const { profileId, groupId } = command
      const markets = [...venue.childrenOf(groupId), groupId]
      const accounts = [profileId, BURN_ACCOUNT, VAULT_ACCOUNT]
      return accounts.flatMap((account) => markets.map((market) => [account, market] as const))
    }
    default:
      return []
  }
}
