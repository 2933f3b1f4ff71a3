// The follower alone on a journal: it reads, checks, decodes and applies, and writes read.db. Each
// runs in a process of its own, because a process has one set of books.

import { readFileSync } from 'node:fs'
import { openSeal } from '../../persistence/folder-key.ts'
import { Follower } from '../../persistence/follower/follower.ts'
import { rebuildReadTables } from '../../persistence/follower/rebuild.ts'
import { writeJournal } from '../exchange/threaded-exchange.ts'
import { runInChild, serve, type Task } from '../harness/child.ts'
import { withFolder } from '../harness/folder.ts'

/** Commands that a follower takes at once: a tenth of a second at 10,000 commands per second. */
const CHUNK = 1000
const ACCOUNTS = 64
const MARKETS = 4

/** The cost of a slice of the journal. */
export interface Cost {
  /** Processor time for a command, of the whole process. */
  readonly micros: number
  /** Bytes for a command that went to files. */
  readonly bytes: number
}

const module = new URL(import.meta.url)
/** A service on a folder. A request is the seq to follow to; the reply is the cost. */
export const FOLLOWER: Task = { module, name: follow.name }

export function follow(dataDir: string): void {
  const follower = new Follower(openSeal(dataDir).keyed(dataDir))
  serve(null, (seq: number): Cost => {
    const from = spent()
    const fromSeq = follower.stateSeq
    // A batch that ends after the target waits for the next one.
    for (let target = fromSeq + CHUNK; target < seq + CHUNK; target += CHUNK) {
      while (follower.step(Math.min(target, seq)));
    }
    const { micros, bytes } = spent()
    const commands = follower.readSeq - fromSeq
    return { micros: (micros - from.micros) / commands, bytes: (bytes - from.bytes) / commands }
  })
}

function spent(): Cost {
  const { user, system } = process.cpuUsage()
  const written = /^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]
  return { micros: user + system, bytes: Number(written) }
}

interface RebuildPlan {
  readonly dataDir: string
  readonly runs: number
}

/** The commands per second of each rebuild. One more comes first, to warm up the code. */
export function rebuild({ dataDir, runs }: RebuildPlan): number[] {
  const perSecond = Array.from({ length: runs + 1 }, () => {
    const startMs = performance.now()
    const commands = rebuildReadTables(dataDir)
    return (commands * 1000) / (performance.now() - startMs)
  })
  return perSecond.slice(1)
}

/** The commands per second of a follower on so many commands. */
export function followerRates(commands: number, runs: number): Promise<number[]> {
  return withFolder(async (dataDir) => {
    const live = Math.min(5000, commands >> 1)
    const workload = { seed: 1, live, books: MARKETS, accounts: ACCOUNTS, ops: commands - live }
    await writeJournal(dataDir, workload)
    return await runInChild<number[]>({ module, name: rebuild.name }, { dataDir, runs })
  })
}
