// Followers of one journal that take turns, a stretch each. What the machine does beside them then
// costs both the same. Each has a process of its own, because a process has one set of books.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openSeal } from '../../persistence/folder-key.ts'
import { Follower } from '../../persistence/follower/follower.ts'

/** Commands that a follower takes at once: a tenth of a second at 10,000 commands per second. */
const CHUNK = 1000

/** What a stretch of commands cost. */
export interface Cost {
  /** Processor time for a command, of the whole process. */
  readonly micros: number
  /** Bytes for a command that went to files. */
  readonly bytes: number
}

function isCost(message: unknown): message is Cost {
  return typeof message === 'object' && message !== null && 'micros' in message
}

/** Opens a folder; gives a function that follows its journal up to a seq. */
export function followed(dataDir: string): (seq: number) => Cost {
  const follower = new Follower(openSeal(dataDir).keyed(dataDir))
  return (seq) => {
    const from = spent()
    const fromSeq = follower.stateSeq
    // A batch that ends after the target waits for the next one.
    for (let target = fromSeq + CHUNK; target < seq + CHUNK; target += CHUNK) {
      while (follower.step(Math.min(target, seq)));
    }
    const { micros, bytes } = spent()
    const commands = follower.readSeq - fromSeq
    return { micros: (micros - from.micros) / commands, bytes: (bytes - from.bytes) / commands }
  }
}

function spent(): Cost {
  const { user, system } = process.cpuUsage()
  const written = /^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]
  return { micros: user + system, bytes: Number(written) }
}

function start(dataDir: string): ChildProcess {
  const entry = fileURLToPath(new URL('./rounds-process.ts', import.meta.url))
  return fork(entry, [dataDir], { execArgv: ['--import', 'tsx'] })
}

async function take(child: ChildProcess, seq: number): Promise<Cost> {
  const ended = new AbortController()
  const end = () => ended.abort()
  child.once('exit', end)
  child.send(seq)
  const [cost] = await once(child, 'message', { signal: ended.signal })
  child.off('exit', end)
  if (!isCost(cost)) throw new Error('a follower gave no cost')
  return cost
}

/** Gives the cost of each stretch for each folder: stretch i goes to `seqs[i]`. */
export async function takeRounds(
  dataDirs: readonly string[],
  seqs: readonly number[],
): Promise<readonly (readonly Cost[])[]> {
  const children = dataDirs.map((dataDir) => start(dataDir))
  const costs: Cost[][] = dataDirs.map(() => [])
  try {
    for (const seq of seqs) {
      for (const [index, child] of children.entries()) costs[index].push(await take(child, seq))
    }
  } finally {
    const ends = children.map((child) => child.exitCode ?? once(child, 'exit'))
    for (const child of children) if (child.connected) child.disconnect()
    await Promise.all(ends)
  }
  return costs
}
