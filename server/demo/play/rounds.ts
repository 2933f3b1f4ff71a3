// The rounds of a demo bot: work, pause, repeat, until the demo stops. Repeated failures with the
// same message are reported once.

import type { Audience } from './audience.ts'

export interface Rounds {
  stop(): Promise<void>
}

/** What every bot of a demo gets. */
export interface BotOptions {
  readonly warn: (sentence: string) => void
  readonly audience: Audience
}

export interface RoundsOptions extends BotOptions {
  /** Names the bot in warnings, as in: the demo's oracle. */
  readonly name: string
  /** Runs before the first round; absent for nothing. */
  readonly first?: () => Promise<unknown>
  readonly round: () => Promise<unknown>
  /** The pause before the next round, while somebody looks. */
  readonly pauseMs: () => number
  /** The pause while nobody looks; absent for one that is `SLOWER` times as long. */
  readonly awayMs?: () => number
}

/** How much longer the pauses of bots are while nobody looks. */
const SLOWER = 30

export function startRounds(options: RoundsOptions): Rounds {
  const { name, warn, audience, first, round, pauseMs } = options
  const { awayMs = () => pauseMs() * SLOWER } = options
  let isStopped = false
  let stated = ''
  let cancelPause = () => {}
  const guarded = async (work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (error) {
      const sentence = `${name}: ${error instanceof Error ? error.message : error}`
      if (!isStopped && sentence !== stated) warn(sentence)
      stated = sentence
    }
  }
  const next = () => {
    if (isStopped) return
    cancelPause = audience.after(audience.isThere ? pauseMs() : awayMs(), () => {
      running = guarded(round)
      running.then(next)
    })
  }
  let running = guarded(first ?? round)
  running.then(next)
  return {
    async stop() {
      isStopped = true
      cancelPause()
      await running
    },
  }
}
