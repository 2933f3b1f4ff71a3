import type { Credit } from '../../engine/domain/rewards/reward-command.ts'
import { dayOf, MINUTE_MS, minuteOf } from '../../engine/domain/rewards/reward-time.ts'
import { DAY_MS } from '../../engine/domain/units.ts'
import type { LiveExchange } from './live-exchange.ts'

// Lets a stepwise exchange go through its samples of rewards, and through the end of its day.

/** Moves the clock, and does what is due. */
export function step(live: LiveExchange, byMs: number): void {
  live.shiftClock(byMs)
  live.exchange.pipeline.tick()
}

function rewardsOf(live: LiveExchange) {
  return live.exchange.pipeline.clearing.rewards
}

async function stepsUntil(live: LiveExchange, holds: () => boolean): Promise<void> {
  while (!holds()) {
    step(live, 10)
    await new Promise(setImmediate)
  }
  await live.exchange.pipeline.durable()
}

/** Waits until the open sample is credited. */
export function credited(live: LiveExchange): Promise<void> {
  return stepsUntil(live, () => rewardsOf(live).open === null)
}

/** Waits until the days before this one are paid. */
export function paid(live: LiveExchange): Promise<void> {
  const yesterday = dayOf(live.nowMs()) - 1
  return stepsUntil(live, () => rewardsOf(live).paidDay >= yesterday)
}

/** Goes on until the next sample is taken; nothing is credited yet but these rows. */
export async function sampled(live: LiveExchange, rows?: readonly Credit[]): Promise<void> {
  const { pipeline } = live.exchange
  const rewards = rewardsOf(live)
  const { minute: last } = rewards
  if (minuteOf(live.nowMs()) === last) live.shiftClock(MINUTE_MS - (live.nowMs() % MINUTE_MS))
  while (rewards.minute === last) step(live, 500)
  if (rows !== undefined) {
    const { minute } = rewards
    void pipeline.change(() => ({ kind: 'creditRewards', minute, part: 0, isLast: false, rows }))
  }
  await pipeline.durable()
}

/**
 * Goes to the next minute and through it, until it is sampled and credited. A minute with nothing
 * to sample passes.
 */
export async function nextSample(live: LiveExchange): Promise<void> {
  const rewards = rewardsOf(live)
  const { minute } = rewards
  if (minuteOf(live.nowMs()) === minute) live.shiftClock(MINUTE_MS - (live.nowMs() % MINUTE_MS))
  step(live, 0)
  const endMs = live.nowMs() + 2 * MINUTE_MS
  while (rewards.minute === minute && live.nowMs() < endMs) step(live, 500)
  await credited(live)
}

/** Ends the UTC day, and lets the exchange pay it. */
export async function nextDay(live: LiveExchange): Promise<void> {
  live.shiftClock(DAY_MS - (live.nowMs() % DAY_MS))
  const yesterday = dayOf(live.nowMs()) - 1
  const rewards = rewardsOf(live)
  while (rewards.hasDue(yesterday) || rewards.open !== null) {
    step(live, 10)
    await credited(live)
  }
}
