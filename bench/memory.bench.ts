// Memory of the whole process, with all threads: idle, for each resting and for each ended order.

import { setTimeout as pause } from 'node:timers/promises'
import { figuresOf } from '../test/support/process-figures.ts'
import { compileProgram, ServerProcess } from '../test/support/server-process.ts'
import { benchOf, repeat, rowOf } from './harness/bench.ts'
import { runInChild } from './harness/child.ts'
import { withFolder } from './harness/folder.ts'
import type { MemoryGrowth } from './memory/memory-growth.ts'

const GROWTH = {
  module: new URL('./memory/memory-growth.ts', import.meta.url),
  name: 'memoryGrowth',
}
const FULL = {
  rounds: 3,
  /** Threads collect the garbage of their start after ten idle seconds, and V8 frees it later. */
  restMs: 30_000,
  plan: { markets: 16, accounts: 64, warm: 600_000, resting: 400_000, dead: 1_200_000 },
}
const SMOKE: typeof FULL = {
  rounds: 1,
  restMs: 100,
  plan: { markets: 3, accounts: 8, warm: 1000, resting: 2000, dead: 2000 },
}
const MIB = 2 ** 20

/** Memory of the real program on a fresh folder at rest, as the kernel counts it. */
async function idleMebibytes(restMs: number): Promise<number> {
  await compileProgram()
  return withFolder(async (dataDir) => {
    const server = await ServerProcess.start({ dataDir })
    await pause(restMs)
    const { residentBytes } = figuresOf(server.pid)
    await server.stop()
    return residentBytes / MIB
  })
}

const AIMS = `
≤ 120 MB     ^idle              memory of an idle exchange, all threads
≤ 320 bytes  per resting order  memory per resting order, all threads
≤ 4 bytes    per dead order     memory per dead order, all threads
`

export const bench = benchOf({
  name: 'memory',
  aims: AIMS,
  full: FULL,
  smoke: SMOKE,
  rows: async ({ rounds, restMs, plan }) => {
    const growthOf = (clientIdChars: number) =>
      withFolder((dataDir) => {
        const expires = clientIdChars > 0
        const whole = { ...plan, clientIdChars, expires, dataDir }
        return runInChild<MemoryGrowth>(GROWTH, whole, { nodeArgs: ['--expose-gc'] })
      })
    const growths = await repeat({ about: 'memory: orders', rounds }, () => growthOf(0))
    const withId = await growthOf(36)
    const idle = await repeat({ about: 'memory: idle', rounds }, () => idleMebibytes(restMs))
    const resting = growths.map(({ bytesPerResting }) => bytesPerResting)
    const dead = growths.map(({ bytesPerDead }) => bytesPerDead)
    return [
      rowOf('idle, all threads', 'MB', idle),
      rowOf('per resting order', 'bytes', resting),
      rowOf('per dead order', 'bytes', dead),
      rowOf('a client id of 36 and an expiry add, resting', 'bytes', [
        withId.bytesPerResting - resting[0],
      ]),
      rowOf('a client id of 36 adds, dead', 'bytes', [withId.bytesPerDead - dead[0]]),
    ]
  },
})
