import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseProfile, speedscopeOf } from '../../bench/cpu-profile.ts'
import { readTrace, summaryText } from '../../bench/profile-summary.ts'

const node = (id: number, functionName: string, url: string, children: number[] = []) => ({
  id,
  callFrame: { functionName, url, lineNumber: 9 },
  children,
})
const nodes = [
  node(1, '(root)', '', [2, 6]),
  node(2, 'run', 'file:///there/engine/shard/market.worker.js', [3]),
  node(3, 'place', 'file:///there/engine/core/market.js', [4]),
  node(4, 'place', 'file:///there/engine/core/market.js', [5]),
  node(5, 'waitForData', 'file:///there/engine/wire/ring.js'),
  node(6, 'parse', 'file:///there/node_modules/x/server/y.js'),
]
// Each stack lasts until the next sample.
const samples = [2, 3, 4, 5, 6, 1]
const timeDeltas = [0, 1000, 2000, 3000, 10_000, 5000]
const profile = parseProfile(JSON.stringify({ nodes, samples, timeDeltas }))

test('a profile names its thread by the worker file, and our files alone', () => {
  assert.equal(profile.thread, 'market')
  assert.deepEqual(profile.frames[2], { name: 'place', file: 'engine/core/market.js', line: 10 })
  assert.equal(profile.frames[5].file, '')
  assert.throws(() => parseProfile('{}'), /no CPU profile/)
})

test('a summary counts recursion once and sets waits apart', () => {
  const text = summaryText([profile], new Map())
  assert.match(text, /^market: busy 11\.0 ms, waiting 10\.0 ms$/m)
  assert.match(text, /^ +5\.0 +45\.5% +15\.0 +place {2}engine\/core\/market\.js:10$/m)
  assert.match(text, /^ +1\.0 +9\.1% +16\.0 +run {2}engine\/shard\/market\.worker\.js:10$/m)
  assert.doesNotMatch(text, /waitForData/)
})

test('the notes of the compiler are counted by function, with reasons', () => {
  const trace = readTrace([
    '[completed optimizing 0x01 <JSFunction place (sfi = 0x02)> (target TURBOFAN)]',
    '[completed optimizing 0x03 <JSFunction place (sfi = 0x04)> (target TURBOFAN) OSR]',
    '[bailout (kind: deopt-eager, reason: wrong map): begin. deoptimizing 0x01 <JSFunction place' +
      ' (sfi = 0x02)>, 0x05 <Code TURBOFAN>, opt id 6, bytecode offset 12]',
    '[completed optimi',
    'a line of the program',
  ])
  assert.deepEqual([...trace.keys()], ['place'])
  const text = summaryText([profile], trace)
  assert.match(text, /^ +5\.0 +2 +1 × wrong map \(deopt-eager\) +place/m)
})

test('the flame graph holds each thread with frames that exist', () => {
  const graph = JSON.parse(speedscopeOf('two', [profile, profile]))
  assert.equal(graph.profiles.length, 2)
  for (const { samples, weights, endValue } of graph.profiles) {
    assert.equal(samples.length, weights.length)
    assert.equal(endValue, 21_000)
    for (const frame of samples.flat()) assert.notEqual(graph.shared.frames[frame].name, '(root)')
  }
})
