import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { parseProfile, readProfiles, speedscopeOf } from '../../bench/profile/cpu-profile.ts'
import { readTrace, summaryText } from '../../bench/profile/profile-summary.ts'
import { recorded } from '../../bench/profile/source-positions.ts'
import { bundleCode } from '../../server/build/bundle.ts'
import { newFolder } from '../support/data-folder.ts'

const node = (id: number, functionName: string, url: string, children: number[] = []) => ({
  id,
  callFrame: { functionName, url, lineNumber: 9, columnNumber: 4 },
  children,
})
const nodes = [
  node(1, '(root)', '', [2, 6]),
  node(2, 'run', 'file:///there/engine/shard/market.worker.js', [3]),
  node(3, 'place', 'file:///there/engine/core/market.js', [4]),
  node(4, 'place', 'file:///there/engine/core/market.js', [5]),
  node(5, 'waitForData', 'file:///there/engine/thread/ring.js'),
  node(6, 'parse', 'file:///there/node_modules/x/server/y.js'),
]
// Each stack lasts until the next sample.
const samples = [2, 3, 4, 5, 6, 1]
const timeDeltas = [0, 1000, 2000, 3000, 10_000, 5000]
const profile = parseProfile(JSON.stringify({ nodes, samples, timeDeltas }))

test('a profile names its thread by the worker file, and only files of the repository', () => {
  assert.equal(profile.thread, 'market')
  assert.deepEqual(profile.frames[2], { name: 'place', file: 'engine/core/market.js', line: 10 })
  assert.equal(profile.frames[5].file, '')
  assert.throws(() => parseProfile('{}'), /not a CPU profile/)
})

test('a summary counts recursion once and lists waits apart', () => {
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

test('the flame graph has every thread, and its frames exist', () => {
  const graph = JSON.parse(speedscopeOf('two', [profile, profile]))
  assert.equal(graph.profiles.length, 2)
  for (const { samples, weights, endValue } of graph.profiles) {
    assert.equal(samples.length, weights.length)
    assert.equal(endValue, 21_000)
    for (const frame of samples.flat()) assert.notEqual(graph.shared.frames[frame].name, '(root)')
  }
})

const FIFTY_MS = 50

// The types take lines that the compiled file does not have.
const SPINNING = `interface Spin {
  readonly untilMs: number
}

export type Turns = number

function spinUntil({ untilMs }: Spin): Turns {
  let turns: Turns = 0
  while (performance.now() < untilMs) turns++
  return turns
}

spinUntil({ untilMs: performance.now() + ${FIFTY_MS} })
`
const SPIN_LINE = 7

/** Bundles engine/spin.ts as the build does, and gives the file. */
async function bundledSpin(folder: string): Promise<string> {
  const source = join(folder, 'engine', 'spin.ts')
  mkdirSync(join(folder, 'engine'))
  writeFileSync(source, SPINNING)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  await bundleCode([source], join(folder, 'dist'))
  return join(folder, 'dist', 'spin.js')
}

test('a profile of a bundle names the lines of its sources', async () => {
  const folder = newFolder()
  const program = await bundledSpin(folder)
  const compiled = readFileSync(program, 'utf8').split('\n')
  const compiledLine = 1 + compiled.findIndex((line) => line.startsWith('function spinUntil'))
  assert.notEqual(compiledLine, SPIN_LINE, 'compiled and source lines differ')
  execFileSync(process.execPath, ['--cpu-prof', `--cpu-prof-dir=${folder}`, program])
  const profiles = readProfiles(folder)
  assert.match(summaryText(profiles, new Map()), / spinUntil {2}engine\/spin\.ts:7$/m)
  const frames = profiles.flatMap((each) => each.frames)
  const found = frames.find(({ name }) => name === 'spinUntil')
  assert.deepEqual(found, { name: 'spinUntil', file: 'engine/spin.ts', line: SPIN_LINE })
  // Without the map, the same profile names the compiled file and its line.
  const [name = ''] = readdirSync(folder).filter((each) => each.endsWith('.cpuprofile'))
  const plain = parseProfile(readFileSync(join(folder, name), 'utf8'), () => undefined)
  const there = plain.frames.find((frame) => frame.name === 'spinUntil')
  assert.deepEqual(there, { name: 'spinUntil', file: '', line: compiledLine })
})

test('a profile of files compiled at load time names the lines of their sources', async () => {
  const folder = newFolder()
  const program = await bundledSpin(folder)
  const path = join(folder, 'here.cpuprofile')
  // So does tsx, by which benches run.
  process.setSourceMapsEnabled(true)
  await recorded(path, () => import(program))
  process.setSourceMapsEnabled(false)
  const { nodes } = JSON.parse(readFileSync(path, 'utf8'))
  const found = nodes
    .map((each: { callFrame: object }) => each.callFrame)
    .find((each: { functionName: string }) => each.functionName === 'spinUntil')
  assert.equal(found.url, pathToFileURL(join(folder, 'engine', 'spin.ts')).href)
  assert.equal(found.lineNumber + 1, SPIN_LINE)
})
