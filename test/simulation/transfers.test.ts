// Transfers of balances between shards, by the protocol of server/docs/replication.md, which is not
// built. Shards are models; only their ledger is that of the exchange, because its operations
// suffice and its assertions check the protocol as well (transfers/shard-state.ts).
//
// SEED repeats a run, and TRANSFER_RUNS plays more runs than `make test`.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshSeed, fromEnv, Random } from '../support/random.ts'
import { PLANTED_FAULTS, type PlantedFault } from './transfers/planted-faults.ts'
import type { Invariant } from './transfers/transfer-invariants.ts'
import {
  BrokenTransfers,
  type Counts,
  playTransfers,
  type TransferRun,
} from './transfers/transfer-run.ts'

const USUAL_RUNS = 120
const RUNS = fromEnv('TRANSFER_RUNS', USUAL_RUNS)
const STEPS = 600
/** Some faults need a crash between two certain steps. */
const FAULT_RUNS = 400
const TRACED_LINES = 60
const random = new Random(freshSeed())

/** What the usual runs must have seen. */
const SEEN = [
  'debitTransfer',
  'creditTransfer',
  'refuseTransfer',
  'confirmTransfer',
  'returnTransfer',
  'withdraw',
  'spend',
  'crashes',
  'lost commands',
  'lost messages',
  'repeated messages',
  'repeated requests',
  'repeated credits',
  'credits out of order',
  'credits of ended transfers',
  'outcomes of ended transfers',
  'messages to a shard that is down',
  'frozen accounts',
  'unknown accounts',
  'returns to frozen accounts',
]

/** An invariant that each fault breaks. */
const BREAKS: Readonly<Record<PlantedFault, Invariant>> = {
  'a credit is repeated': 'once',
  'a request is debited again after a crash': 'debit',
  'a transfer without an outcome is returned': 'once',
  'a number is used again': 'money',
  'a reply is sent before its debit is durable': 'reply',
  'a credit is sent before its debit is durable': 'money',
  'an outcome is sent before its command is durable': 'money',
  'a refusal is not journaled': 'once',
  'a credit overtakes another': 'ends',
  'a frozen account gets nothing back': 'ends',
}

function nextRun(shards: number): TransferRun {
  return { seed: random.below(2 ** 31), shards, steps: STEPS }
}

/** Plays a run, and once more with a trace when it fails. */
function play(run: TransferRun): Counts {
  try {
    return playTransfers(run)
  } catch (why) {
    const lines: string[] = []
    assert.throws(() => playTransfers({ ...run, onTrace: (line) => lines.push(line) }))
    console.log(`seed ${run.seed} with ${run.shards} shards:`)
    console.log(lines.slice(-TRACED_LINES).join('\n'))
    throw why
  }
}

test('money is conserved over two and over three shards, and every transfer ends once', () => {
  const seen: Counts = new Map()
  for (let index = 0; index < RUNS; index++) {
    for (const [what, count] of play(nextRun(2 + (index % 2)))) {
      seen.set(what, (seen.get(what) ?? 0) + count)
    }
  }
  console.log(`${RUNS * STEPS} steps in ${RUNS} runs:`, Object.fromEntries(seen))
  if (RUNS < USUAL_RUNS) return
  assert.deepEqual(
    SEEN.filter((what) => !seen.has(what)),
    [],
    'the runs meet everything that the protocol handles',
  )
})

/** The runs that it took until the fault broke `wanted`. */
function runsUntil(planted: PlantedFault, wanted: Invariant): number {
  for (let runs = 1; runs <= FAULT_RUNS; runs++) {
    try {
      playTransfers({ ...nextRun(2 + (runs % 2)), planted })
    } catch (why) {
      if (!(why instanceof BrokenTransfers)) throw why
      if (why.broken.includes(wanted)) return runs
    }
  }
  return assert.fail(`no run with "${planted}" breaks "${wanted}"`)
}

for (const planted of PLANTED_FAULTS) {
  test(`a planted fault is found: ${planted}`, () => {
    const runs = runsUntil(planted, BREAKS[planted])
    console.log(`found in run ${runs}`)
  })
}

test('a seed plays out the same every time', () => {
  const run = nextRun(3)
  assert.deepEqual(play(run), play(run))
})
