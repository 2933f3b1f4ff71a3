import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFolder } from '../support/data-folder.ts'
import { slopeOf, thirdsOf } from '../support/drift.ts'
import { freshSeed } from '../support/random.ts'
import { compileProgram } from '../support/server-process.ts'
import { soak } from '../support/soak.ts'
import type { SoakFigures } from '../support/soak-verdict.ts'

// A short `make soak`: one life that is killed and one that is stopped.

const LIVES = 2
/**
 * So much that neither the warm-up of the first windows matters, which only adds to it, nor what V8
 * frees of code, which is some hundred bytes a command in a window of few commands.
 */
const LEAK_BYTES = 16_384

await compileProgram()

test('a slope keeps processes apart and says how sure it is', () => {
  const line = (group: number, level: number) =>
    [1, 2, 3, 4].map((x) => ({ group, x: x * 10 + group, y: level + x * 30 }))
  const { perX, within } = slopeOf([...line(0, 5), ...line(1, 1000)])
  assert.ok(Math.abs(perX - 3) < 1e-9 && within < 1e-6)
  const flat = [0, 6, 0, 6].map((y, x) => ({ group: 0, x, y }))
  const unsure = slopeOf(flat)
  // By hand: slope 6/5, residual variance 28.8/2, t for two degrees of freedom 4.3.
  assert.ok(Math.abs(unsure.perX - 1.2) < 1e-9)
  assert.ok(Math.abs(unsure.within - 4.3 * Math.sqrt(14.4 / 5)) < 1e-9)
  assert.equal(slopeOf(flat.slice(0, 2)).within, Number.POSITIVE_INFINITY)
  assert.deepEqual(thirdsOf([1, 3, 9, 9, 5, 7]), { first: 2, last: 6 })
})

test('a kill and a stop during trading lose nothing, and the money adds up', async () => {
  const signals: string[] = []
  const windows: SoakFigures[] = []
  await soak({
    dataDir: newFolder(),
    seed: freshSeed(),
    leakBytes: LEAK_BYTES,
    windowSeconds: () => 1,
    livesOn: (life, count) => life === 0 && count < 2,
    goesOn: () => signals.length < LIVES,
    onWindow: (_life, figures) => windows.push(figures),
    onRestart: (_life, sentence) => signals.push(sentence.split(' ')[0]),
  })
  assert.deepEqual(signals, ['SIGKILL', 'SIGTERM'])
  assert.equal(windows.length, LIVES + 1)
  const [first, second] = windows
  const leaked = (second.heapBytes - first.heapBytes) / (second.seq - first.seq)
  assert.ok(leaked > LEAK_BYTES * 0.9, `a leak on purpose shows after a collection: ${leaked}`)
})
