import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slopeOf } from '../support/drift.ts'
import { freshSeed, Random } from '../support/random.ts'
import { growthOf, memoryTrends, type SoakWindow } from '../support/soak-verdict.ts'

// The judge of `make soak`, with samples that have the warm-up and the noise of real lives.

const MIB = 2 ** 20
const LIFE_SECONDS = 960
const WINDOWS = 96
const WINDOW_SECONDS = LIFE_SECONDS / WINDOWS
const PER_SECOND = 500
const LEAK_BYTES = 64
const RUNS = 50

/** Noise whose neighbors are alike: a part of each value is the value before. */
class Drift {
  readonly #random: Random
  readonly #width: number
  readonly #part: number
  #last = 0

  constructor(random: Random, width: number, part: number) {
    this.#random = random
    this.#width = width * Math.sqrt(1 - part ** 2)
    this.#part = part
  }

  next(): number {
    // Six uniform values are close to one normal value of the width √(6 ÷ 12).
    let sum = -3
    for (let count = 0; count < 6; count++) sum += this.#random.next()
    this.#last = this.#part * this.#last + (this.#width * sum) / Math.sqrt(0.5)
    return this.#last
  }
}

interface Leaks {
  readonly heap?: number
  readonly external?: number
  readonly resident?: number
}

/** One life: the heaps are warm after two minutes, resident memory after five. */
function lifeOf(life: number, random: Random, leaks: Leaks = {}): SoakWindow[] {
  const heap = new Drift(random, 0.15, 0.6)
  const resident = new Drift(random, 15, 0.9)
  const threads = 16 + random.below(3)
  const startSeq = random.below(10_000_000)
  return Array.from({ length: WINDOWS }, (_, window) => {
    const second = (window + 1) * WINDOW_SECONDS
    const commands = second * PER_SECOND + random.below(500)
    const leaked = (bytes = 0) => (bytes * commands) / MIB
    const warm = (byMib: number, seconds: number) => byMib * (1 - Math.exp(-second / seconds))
    const heapMib = 68 + warm(9, 40) + heap.next() + leaked(leaks.heap)
    const residentMib = 250 + warm(180, 90) + resident.next()
    const figures = {
      seq: startSeq + commands,
      threads: second > 60 ? threads + 1 : threads,
      openFiles: 66 + random.below(6),
      heapBytes: heapMib * MIB,
      externalBytes: (1068 + leaked(leaks.external)) * MIB,
      residentBytes: (residentMib + leaked(leaks.heap) + leaked(leaks.resident)) * MIB,
    }
    return { life, lifeSeconds: LIFE_SECONDS, figures }
  })
}

const wrongOf = (windows: readonly SoakWindow[]) =>
  memoryTrends(windows)
    .map(({ wrong }) => wrong)
    .filter((wrong) => wrong !== '')

const seed = freshSeed()

test('lives that only warm up are sound', () => {
  const random = new Random(seed)
  for (let run = 0; run < RUNS; run++) {
    const one = lifeOf(0, random)
    assert.deepEqual(wrongOf(one), [])
    const all = [...one, ...lifeOf(3, random), ...lifeOf(6, random)]
    assert.deepEqual(wrongOf(all), [])
    assert.deepEqual(growthOf(all).wrong, [])
  }
})

test(`a leak of ${LEAK_BYTES} bytes a command is found in one life`, () => {
  const random = new Random(seed)
  for (let run = 0; run < RUNS; run++) {
    assert.ok(wrongOf(lifeOf(0, random, { heap: LEAK_BYTES })).includes('the heaps grow'))
    const external = lifeOf(0, random, { external: LEAK_BYTES })
    assert.deepEqual(wrongOf(external), ['external memory grows'])
  }
})

test('a leak outside all heaps is found in the resident memory', () => {
  const random = new Random(seed)
  for (let run = 0; run < RUNS; run++) {
    const lives = [0, 3, 6].flatMap((life) => lifeOf(life, random, { resident: 1024 }))
    assert.deepEqual(wrongOf(lives), ['resident memory grows'])
  }
})

test('short lives say nothing of memory', () => {
  const random = new Random(seed)
  const leaking = lifeOf(0, random, { heap: 1024 }).slice(0, 6)
  const short = leaking.map((window) => ({ ...window, lifeSeconds: 48 }))
  assert.deepEqual(
    memoryTrends(short).map(({ slope }) => slope),
    [null, null, null],
  )
  assert.deepEqual(wrongOf(short), [])
  // A life of three minutes is long enough for the heaps, and too short for the rest.
  const longer = leaking.map((window) => ({ ...window, lifeSeconds: 180 }))
  const [heaps, , resident] = memoryTrends(longer)
  assert.ok(heaps.slope !== null && resident.slope === null)
})

test('threads and files that come in the second half of a life are found', () => {
  const random = new Random(seed)
  const life = lifeOf(0, random)
  const more = life.map(({ figures, ...rest }, index) => {
    const extra = index >= WINDOWS - 2 ? 1 : 0
    const { threads, openFiles } = figures
    return {
      ...rest,
      figures: { ...figures, threads: threads + extra, openFiles: openFiles + 14 * extra },
    }
  })
  assert.deepEqual(growthOf(more).wrong, ['open files grow', 'threads grow'])
})

test('samples that drift together widen the interval', () => {
  const samples = [1, 1, -1, -1, -1, -1, 1, 1].map((y, x) => ({ group: 0, x, y }))
  const { perX, within } = slopeOf(samples)
  assert.equal(perX, 0)
  // By hand: residual variance 8/6, squares of x 42, t for six degrees 2.45. The correlation is
  // 3/8, and its correction (1 + 4 × 3/8) / 8 = 5/16.
  const fewer = Math.sqrt((1 + 11 / 16) / (1 - 11 / 16))
  assert.ok(Math.abs(within - 2.45 * Math.sqrt(8 / 6 / 42) * fewer) < 1e-9)
})
