// Memory of the whole process, with all threads: idle, for each resting and for each ended order.

import { idleMebibytes } from './memory/idle-memory.ts'
import type { MemoryGrowth, MemoryPlan } from './memory/memory-growth.ts'
import { withFolder } from './passes/folder.ts'
import { forkFor } from './passes/fork.ts'
import { type BenchOptions, type Report, rowOf } from './report/report.ts'

const RUNS = 3
const FULL = { markets: 16, accounts: 64, warm: 600_000, resting: 400_000, dead: 1_200_000 }
const SMOKE = { markets: 3, accounts: 8, warm: 1000, resting: 2000, dead: 2000 }
const UNIT = 'bytes'

function isResult(message: unknown): message is MemoryGrowth {
  return typeof message === 'object' && message !== null && 'bytesPerDead' in message
}

function growthOf(plan: Omit<MemoryPlan, 'dataDir'>): Promise<MemoryGrowth> {
  const entry = new URL('./memory/memory-process.ts', import.meta.url)
  const options = { nodeArgs: ['--expose-gc'] }
  return withFolder((dataDir) => forkFor(entry, { ...plan, dataDir }, isResult, options))
}

export async function memoryBench({ smoke }: BenchOptions): Promise<Report> {
  const plain = { ...(smoke ? SMOKE : FULL), clientIdChars: 0, expires: false }
  const named = { ...plain, clientIdChars: 36, expires: true }
  const growths: MemoryGrowth[] = []
  const runs = smoke ? 1 : RUNS
  for (let run = 0; run < runs; run++) growths.push(await growthOf(plain))
  const withId = await growthOf(named)
  const idle: number[] = []
  for (let run = 0; run < runs; run++) idle.push(await idleMebibytes(smoke))
  const resting = growths.map(({ bytesPerResting }) => bytesPerResting)
  const dead = growths.map(({ bytesPerDead }) => bytesPerDead)
  return {
    name: 'memory',
    rows: [
      rowOf('idle, all threads', 'MB', idle),
      rowOf('per resting order', UNIT, resting),
      rowOf('per dead order', UNIT, dead),
      rowOf('a client id of 36 and an expiry add, resting', UNIT, [
        withId.bytesPerResting - resting[0],
      ]),
      rowOf('a client id of 36 adds, dead', UNIT, [withId.bytesPerDead - dead[0]]),
    ],
  }
}
