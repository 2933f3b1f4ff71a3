import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CrashRounds } from './support/crash-rounds.ts'
import { freshSeed, Random } from './support/random.ts'
import { compileProgram } from './support/server-process.ts'

// `make soak MIN=…`: kill, replay, restart and compare for as long as one likes, one line per
// round. A folder is kept for some rounds, so that recoveries of recoveries are proved too.

const ROUNDS_PER_FOLDER = 20
const minutes = Number(process.argv[2] ?? '1')
if (!(minutes > 0)) {
  console.error('soak takes the minutes to run: a number above 0.')
  process.exit(2)
}
const random = new Random(freshSeed())
await compileProgram()
const endMs = Date.now() + minutes * 60_000
let total = 0
while (Date.now() < endMs) {
  // Left behind when a round fails: it is the evidence.
  const dataDir = mkdtempSync(join(tmpdir(), 'outcomex-soak-'))
  const rounds = await CrashRounds.start(dataDir, random)
  try {
    for (let count = 0; count < ROUNDS_PER_FOLDER && Date.now() < endMs; count++) {
      const { marketThreads, seq, replies, unanswered } = await rounds.round()
      total++
      console.log(
        `round ${total}: seq ${seq}, ${replies} replies kept, ${unanswered} requests unanswered, ` +
          `recovered with --market-threads ${marketThreads}`,
      )
    }
    await rounds.goodStop()
  } finally {
    rounds.end()
  }
  rmSync(dataDir, { recursive: true })
}
console.log(`${total} kills, nothing acknowledged was lost`)
