// The rounds of a demo bot: work, pause, repeat, until the demo stops. Repeated failures with the
// same message are reported once.

export interface Rounds {
  stop(): Promise<void>
}

export interface RoundsOptions {
  /** Names the bot in warnings, as in: the demo's oracle. */
  readonly name: string
  readonly warn: (sentence: string) => void
  /** Runs before the first round; absent for nothing. */
  readonly first?: () => Promise<unknown>
  readonly round: () => Promise<unknown>
  /** The pause before the next round. */
  readonly pauseMs: () => number
}

export function startRounds({ name, warn, first, round, pauseMs }: RoundsOptions): Rounds {
  let isStopped = false
  let stated = ''
  let timer: NodeJS.Timeout | undefined
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
    timer = setTimeout(() => {
      running = guarded(round)
      running.then(next)
    }, pauseMs())
  }
  let running = guarded(first ?? round)
  running.then(next)
  return {
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}
