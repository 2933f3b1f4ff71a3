// Models what delays or cancels orders, by commands alone: trading windows, heartbeats, freezes.

import assert from 'node:assert/strict'
import type { Command } from '../../engine/domain/command.ts'
import type { TradingMode, TradingWindow } from '../../engine/domain/markets/trading-window.ts'

interface Beat {
  readonly cancelAtMs: number
  /** Infinity while the heartbeat is armed, so that no order comes after it. */
  readonly firedSeq: number
}

const STRICTEST_FIRST: readonly TradingMode[] = ['disabled', 'cancel_only', 'post_only']

export class ControlModel {
  windows: readonly TradingWindow[] = []
  readonly beats = new Map<number, Beat>()
  readonly frozen = new Set<number>()

  copy(): ControlModel {
    const model = new ControlModel()
    model.windows = this.windows
    for (const [profileId, each] of this.beats) model.beats.set(profileId, each)
    for (const profileId of this.frozen) model.frozen.add(profileId)
    return model
  }

  modeAt(nowMs: number): TradingMode {
    const now = this.windows.filter(({ startsAtMs, endsAtMs }) => {
      return startsAtMs <= nowMs && nowMs < (endsAtMs ?? Number.POSITIVE_INFINITY)
    })
    const inForce = (mode: TradingMode) => now.some((window) => window.mode === mode)
    return STRICTEST_FIRST.find(inForce) ?? 'normal'
  }

  isFired(profileId: number): boolean {
    return Number.isFinite(this.beats.get(profileId)?.firedSeq)
  }

  /** Whether its deadline has passed, fired already or not. */
  isPast(profileId: number, nowMs: number): boolean {
    const beat = this.beats.get(profileId)
    return beat !== undefined && (this.isFired(profileId) || beat.cancelAtMs <= nowMs)
  }

  admit(command: Command): void {
    switch (command.kind) {
      case 'placeOrder':
        assert(!this.frozen.has(command.accountId), 'a frozen profile places nothing')
        for (const { cancelAtMs, firedSeq } of this.beats.values()) {
          const isArmed = firedSeq === Number.POSITIVE_INFINITY
          assert(!isArmed || cancelAtMs > command.nowMs, 'no order passes a deadline that is due')
        }
        return
      case 'freezeProfile':
        assert(!this.frozen.has(command.profileId), 'a profile is frozen once')
        this.frozen.add(command.profileId)
        return
      case 'unfreezeProfile':
        assert(this.frozen.delete(command.profileId), 'only a frozen profile is unfrozen')
        return
      case 'putTradingWindow':
        this.windows = [...this.windows, command.window]
        return
      case 'endTradingWindow':
        this.windows = this.windows.filter(({ windowId }) => windowId !== command.windowId)
        return
      case 'armHeartbeat': {
        const { cancelAtMs } = command
        assert(cancelAtMs >= command.nowMs + 5000, 'a deadline lies ahead')
        this.beats.set(command.profileId, { cancelAtMs, firedSeq: Number.POSITIVE_INFINITY })
        return
      }
      case 'disarmHeartbeat':
        this.beats.delete(command.profileId)
        return
      case 'fireHeartbeats':
        for (const profileId of command.profileIds) {
          const beat = this.beats.get(profileId)
          assert(beat !== undefined && beat.cancelAtMs <= command.nowMs, 'a deadline is due')
          this.beats.set(profileId, { ...beat, firedSeq: command.seq })
        }
    }
  }
}
