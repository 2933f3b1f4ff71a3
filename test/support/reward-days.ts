import { dayOf, MINUTE_MS, minuteOf } from '../../engine/domain/rewards/reward-time.ts'
import { DAY_MS } from '../../engine/domain/units.ts'
import type { LiveExchange } from './live-exchange.ts'

// Lets a stepwise exchange go through its samples of rewards, and through the end of its day.

/** Waits until the open sample is credited. */
export async function credited(live: LiveExchange): Promise<void> {
  const { pipeline } = live.exchange
  while (pipeline.clearing.rewards.open !== null) {
    live.shiftClock(10)
    pipeline.tick()
    await new Promise(setImmediate)
  }
  await pipeline.durable()
}

/**
 * Goes to the next minute and through it, until it is sampled and credited. A minute with nothing
 * to sample passes.
 */
export async function nextSample(live: LiveExchange): Promise<void> {
  const { pipeline } = live.exchange
  const { minute } = pipeline.clearing.rewards
  if (minuteOf(live.nowMs()) === minute) live.shiftClock(MINUTE_MS - (live.nowMs() % MINUTE_MS))
  pipeline.tick()
  const endMs = live.nowMs() + 2 * MINUTE_MS
  while (pipeline.clearing.rewards.minute === minute && live.nowMs() < endMs) {
    live.shiftClock(500)
    pipeline.tick()
  }
  await credited(live)
}

/** Ends the UTC day, and lets the exchange pay it. */
export async function nextDay(live: LiveExchange): Promise<void> {
  const { pipeline } = live.exchange
  live.shiftClock(DAY_MS - (live.nowMs() % DAY_MS))
  const yesterday = dayOf(live.nowMs()) - 1
  const { rewards } = pipeline.clearing
  while (rewards.hasDue(yesterday) || rewards.open !== null) {
    live.shiftClock(10)
    pipeline.tick()
    await credited(live)
  }
}
