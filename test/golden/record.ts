import assert from 'node:assert/strict'
import { freshSeed } from '../support/random.ts'
import { missingIn } from './coverage.ts'
import { GoldenFlow } from './golden-flow.ts'
import { NEWEST, recordingNames, writeRecording } from './recording.ts'

// node --import tsx test/golden/record.ts: records a journal of this version, beside the older
// ones. A random flow may leave out a rare kind, so seeds are tried until one shows them all; the
// files are written last. A recording is kept and never made again, so its seed does not matter.

const COMMANDS = 4000
const SEED = freshSeed()
const SEEDS_MAX = 100

function recorded(seed: number): GoldenFlow {
  const flow = new GoldenFlow(seed)
  flow.run(COMMANDS)
  return flow
}

assert(!recordingNames().includes(NEWEST), `${NEWEST} exists; raise FORMAT in recording.ts`)
for (let seed = SEED; ; seed++) {
  assert(seed < SEED + SEEDS_MAX, 'the flow makes each kind of command often enough')
  const { records, hashes } = recorded(seed)
  const missing = missingIn(records)
  if (missing.length > 0) {
    console.log(`SEED=${seed} lacks ${missing.join(', ')}`)
    continue
  }
  writeRecording(NEWEST, { records, hashes })
  console.log(`${NEWEST}: SEED=${seed}, ${COMMANDS} commands, last state ${hashes.at(-1)}`)
  break
}
