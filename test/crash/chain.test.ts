import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anvilSkip } from '../support/anvil.ts'
import { ChainRounds } from '../support/chain-rounds.ts'
import { freshSeed, Random } from '../support/random.ts'
import { compileProgram } from '../support/server-process.ts'

const TRADES = 120
const ORDERS = 120
await compileProgram()

test('a chain and its exchange agree after crashes, forks and faults', {
  skip: anvilSkip,
}, async () => {
  const report = await ChainRounds.play(new Random(freshSeed()), TRADES, ORDERS)
  console.log(JSON.stringify(report))
  assert.ok(report.trades >= TRADES && report.forks > 0, 'the rounds were worth it')
})
