import { GoldenFlow } from './golden-flow.ts'
import { NEWEST, writeRecording } from './recording.ts'

// node --import tsx test/golden/record.ts: records a journal of this version, beside the older
// ones. Any seed will do: a recording is kept and never made again.

const COMMANDS = 4000
const SEED = 365

const flow = new GoldenFlow(SEED)
flow.run(COMMANDS)
writeRecording(NEWEST, flow)
console.log(`${NEWEST}: ${COMMANDS} commands, last state ${flow.hashes.at(-1)}`)
