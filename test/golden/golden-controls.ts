import assert from 'node:assert/strict'
import {
  decideFreeze,
  decideOperator,
  decideRemoval,
  decideUnfreeze,
} from '../../engine/core/decide/operators.ts'
import { isCanceling } from '../../engine/core/decide/order-groups.ts'
import { keptAtClose, type OrderGroup, staysLive } from '../../engine/core/orders/order-groups.ts'
import { TRADING_MODES } from '../../engine/domain/markets/trading-window.ts'
import { ROLES } from '../../engine/domain/operator.ts'
import { type GoldenCast, MINUTE_MS } from './golden-cast.ts'

const [, ...RESTRICTED] = TRADING_MODES
const WINDOWS_MAX = 3
const ENDED_EACH_STEP = 0.15
const FROZEN_MAX = 2
const OPERATORS_MAX = 3
/** Groups of orders of one profile. */
const GROUPS_MAX = 2

/** Trading windows, heartbeats and what operators do to profiles, in a golden flow. */
export class GoldenControls {
  readonly #cast: GoldenCast

  constructor(cast: GoldenCast) {
    this.#cast = cast
  }

  readonly steps: readonly (() => void)[] = [
    () => this.#putWindow(),
    () => this.#endWindow(),
    () => this.#arm(),
    () => this.#arm(),
    () => this.#disarm(),
    () => this.#freeze(),
    () => this.#unfreeze(),
    () => this.#unfreeze(),
    () => this.#hire(),
    () => this.#dismiss(),
    () => this.#createGroup(),
    () => this.#createGroup(),
    () => this.#resetGroup(),
    () => this.#removeGroup(),
  ]

  /** Whether clients may cancel now. */
  get mayCancel(): boolean {
    const { clearing, nowMs } = this.#cast.driver
    return clearing.modes.cancelReject(nowMs) === null
  }

  /** Fires heartbeats that are due, and sometimes ends a window that has no end of its own. */
  meetDeadlines(): void {
    const { driver, random } = this.#cast
    const { heartbeats, modes } = driver.clearing
    const due = heartbeats.all().filter(({ firedSeq, cancelAtMs }) => {
      return firedSeq === 0 && cancelAtMs <= driver.nowMs
    })
    const profileIds = due.map(({ profileId }) => profileId)
    // Journals of older versions have one command for each.
    if (profileIds.length === 1 && random.chance(0.3)) {
      driver.control({ kind: 'fireHeartbeat', profileId: profileIds[0] })
    } else if (profileIds.length > 0) driver.control({ kind: 'fireHeartbeats', profileIds })
    for (const profileId of profileIds) this.#cast.endAllOf(profileId, 'HEARTBEAT')
    this.#closeGroups()
    const endless = modes.windows.find(({ endsAtMs }) => endsAtMs === null)
    if (endless !== undefined && random.chance(ENDED_EACH_STEP)) {
      driver.control({ kind: 'endTradingWindow', windowId: endless.windowId })
    }
  }

  /** A group that an order of the account may join; 0 for none. */
  groupFor(account: number): number {
    const { driver, random } = this.#cast
    const open = driver.clearing.orderGroups.of(account).filter(({ closedSeq }) => closedSeq === 0)
    return open.length === 0 || random.chance(0.5) ? 0 : random.pick(open).id
  }

  #closeGroups(): void {
    const { driver } = this.#cast
    for (const group of driver.clearing.orderGroups.exceeded) {
      driver.control({
        kind: 'closeOrderGroup',
        groupId: group.id,
        keptSeq: keptAtClose(group),
      })
      this.#cancelGroup(group)
    }
  }

  #cancelGroup(group: OrderGroup): void {
    const { orders, catalogue } = this.#cast.driver.clearing
    for (const { marketId } of catalogue.all()) {
      const ended = this.#cast.open({ marketId }).filter(({ slot }) => {
        return group.orders.has(slot) && !staysLive(group, orders.seqOf(slot))
      })
      this.#cast.end('ORDER_GROUP', marketId, ended)
    }
  }

  #createGroup(): void {
    const { driver, random } = this.#cast
    const profileId = this.#cast.trader()
    if (driver.clearing.orderGroups.of(profileId).length >= GROUPS_MAX) return
    const windowSec = random.pick([0, 1, 10, 60])
    const maxFillRaw = windowSec === 0 ? 0 : random.between(1, 500_000_000)
    driver.control({ kind: 'createOrderGroup', profileId, maxFillRaw, windowSec })
  }

  #currentGroup(): OrderGroup | undefined {
    const { driver, random } = this.#cast
    const current = driver.clearing.orderGroups.all().filter(({ removedSeq }) => removedSeq === 0)
    return current.length === 0 ? undefined : random.pick(current)
  }

  #resetGroup(): void {
    const { driver } = this.#cast
    const group = this.#currentGroup()
    if (group === undefined || isCanceling(driver.clearing, group)) return
    driver.control({ kind: 'resetOrderGroup', groupId: group.id })
  }

  #removeGroup(): void {
    const { driver } = this.#cast
    const group = this.#currentGroup()
    if (group === undefined || !this.mayCancel) return
    driver.control({ kind: 'removeOrderGroup', groupId: group.id })
    this.#cancelGroup(group)
  }

  #putWindow(): void {
    const { driver, random } = this.#cast
    const { modes } = driver.clearing
    if (modes.count >= WINDOWS_MAX) return
    const startsAtMs = driver.nowMs + (random.chance(0.5) ? 0 : random.below(MINUTE_MS))
    const window = {
      windowId: modes.lastWindowId + 1,
      startsAtMs,
      endsAtMs: random.chance(0.2) ? null : startsAtMs + random.between(1_000, 20_000),
      mode: random.pick(RESTRICTED),
      publicMessage: random.chance(0.5) ? '' : this.#cast.name('Wartung №'),
    }
    driver.control({ kind: 'putTradingWindow', window })
  }

  #endWindow(): void {
    const { driver, random } = this.#cast
    const { windows } = driver.clearing.modes
    if (windows.length === 0) return
    driver.control({ kind: 'endTradingWindow', windowId: random.pick(windows).windowId })
  }

  #arm(): void {
    const { driver, random } = this.#cast
    const cancelAtMs = driver.nowMs + random.between(5_000, 2 * MINUTE_MS)
    driver.control({ kind: 'armHeartbeat', profileId: this.#cast.trader(), cancelAtMs })
  }

  /** Freezes a profile and cancels its orders. The journal holds who did it; the state does not. */
  #freeze(): void {
    const { driver, random } = this.#cast
    const { clearing } = driver
    const profileId = this.#cast.trader()
    if (clearing.frozen.count >= FROZEN_MAX || clearing.frozen.isFrozen(profileId)) return
    assert.equal(decideFreeze(clearing, profileId), null)
    const reason = random.chance(0.5) ? '' : this.#cast.name('Verdacht №')
    driver.control({ kind: 'freezeProfile', profileId, reason, by: 'root' })
    this.#cast.endAllOf(profileId, 'PROFILE_FROZEN')
  }

  #unfreeze(): void {
    const { driver, random } = this.#cast
    const frozen = driver.clearing.frozen.all()
    if (frozen.length === 0) return
    const { profileId } = random.pick(frozen)
    assert.equal(decideUnfreeze(driver.clearing, profileId), null)
    driver.control({ kind: 'unfreezeProfile', profileId, reason: '', by: 'root' })
  }

  #hire(): void {
    const { driver, random } = this.#cast
    if (driver.clearing.operators.all.length >= OPERATORS_MAX) return
    const name = this.#cast.name('operator')
    assert.equal(decideOperator(driver.clearing, name), null)
    const tokenDigest = this.#cast.hex(8)
    driver.control({ kind: 'addOperator', name, role: random.pick(ROLES), tokenDigest, by: 'root' })
  }

  #dismiss(): void {
    const { driver, random } = this.#cast
    const { all } = driver.clearing.operators
    if (all.length === 0) return
    const { name } = random.pick(all)
    assert.equal(decideRemoval(driver.clearing, name), null)
    driver.control({ kind: 'removeOperator', name, by: 'root' })
  }

  #disarm(): void {
    const { driver, random } = this.#cast
    const armed = driver.clearing.heartbeats.all().filter(({ firedSeq }) => firedSeq === 0)
    if (armed.length === 0) return
    driver.control({ kind: 'disarmHeartbeat', profileId: random.pick(armed).profileId })
  }
}
