import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Failure, plansOf, play } from './fuzz/play.ts'
import { shrunk } from './fuzz/shrink.ts'
import { Tally } from './fuzz/tally.ts'
import { compileProgram } from './support/server-process.ts'

// `make fuzz SEED=… MIN=…`: plays rounds of requests against a real process for MIN minutes. Each
// round has a fresh folder and the next seed. A failure is shrunk and printed with the request that
// replays it. The end says how often each route gave each status. A long run fails if a route never
// succeeded.

const REQUESTS = 1000
/** A number of rounds after which each route has had hundreds of chances. */
const LONG = 10
const SHRINK_TRIES = 60
const SHRINK_MS = 120_000

const [seedText = '', minutesText = ''] = process.argv.slice(2)
const minutes = Number(minutesText === '' ? '10' : minutesText)
let seed = seedText === '' ? Math.floor(Math.random() * 2 ** 31) : Number(seedText)
if (!Number.isSafeInteger(seed) || !(minutes > 0)) {
  console.error('fuzz takes a whole SEED and the minutes to run: make fuzz SEED=1 MIN=5')
  process.exit(2)
}

async function inFolder<T>(work: (dataDir: string) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), 'outcomex-fuzz-'))
  try {
    return await work(dataDir)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** The kind of a break: the start of its sentence, without ids and numbers, which differ by run. */
function kindOf({ what }: Failure): string {
  return what.replaceAll(/[0-9a-f]{8,}|\d+/g, '#').slice(0, 60)
}

async function explain(failure: Failure): Promise<void> {
  console.log(`SEED=${seed} breaks at request ${failure.place}: ${failure.what}`)
  console.log(failure.curl)
  console.log('looking for fewer and smaller requests that break the same thing')
  const plans = plansOf(seed, Math.min(failure.place + 1, REQUESTS))
  let last = failure
  const endMs = performance.now() + SHRINK_MS
  const least = await shrunk(
    plans,
    async (candidate) => {
      if (performance.now() > endMs) return false
      const { failure: found } = await inFolder((dataDir) => play(dataDir, candidate, true))
      if (found === null || kindOf(found) !== kindOf(failure)) return false
      last = found
      return true
    },
    SHRINK_TRIES,
  )
  console.log(`${least.length} of ${plans.length} requests, the last of them:`)
  console.log(JSON.stringify(least.at(-1)))
  console.log(last.what)
  console.log(last.curl)
}

/** Prints what was reached and what was not; false when a long run missed a route. */
function report(tally: Tally, rounds: number): boolean {
  const { table, unreceived, unreached } = tally
  console.log(`${table}\nrefusals that never came: ${unreceived.join(', ') || 'none'}`)
  console.log(`routes that never succeeded: ${unreached.join(', ') || 'none'}`)
  return unreached.length === 0 || rounds < LONG
}

await compileProgram()
const endMs = performance.now() + minutes * 60_000
const total = new Tally()
let rounds = 0
do {
  const played = await inFolder((dataDir) => play(dataDir, plansOf(seed, REQUESTS)))
  total.addAll(played.tally)
  if (played.failure !== null) {
    await explain(played.failure)
    process.exit(1)
  }
  console.log(`SEED=${seed}: ${REQUESTS} requests, nothing broken (${played.tally.line})`)
  seed++
  rounds++
} while (performance.now() < endMs)
if (!report(total, rounds)) process.exit(1)
