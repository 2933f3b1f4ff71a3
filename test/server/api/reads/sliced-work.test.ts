import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SlicedWork } from '../../../../server/api/reads/sliced-work.ts'

// A clock that only work moves, and an event loop whose ticks the test runs one by one.

const SLICE_MS = 4
const share = (group: string, owner = 1) => ({ group, owner })

class Desk {
  nowMs = 0
  readonly #later: (() => void)[] = []
  readonly work = new SlicedWork({
    clock: () => this.nowMs,
    later: (run) => this.#later.push(run),
    sliceMs: SLICE_MS,
    jobsMax: 8,
  })

  /** Runs what waits for the next event-loop tick; false when nothing does. */
  slice(): boolean {
    const due = this.#later.splice(0)
    for (const run of due) run()
    return due.length > 0
  }

  /** A list of which each item costs some time. */
  *items(name: string, count: number, costMs: number, done: string[]): Generator<void, string> {
    for (let item = 0; item < count; item++) {
      this.nowMs += costMs
      done.push(name)
      yield
    }
    return name
  }
}

test('a long list takes many event-loop ticks, none of them longer than a slice', async () => {
  const desk = new Desk()
  const done: string[] = []
  const made = desk.work.run({ share: share('a') }, desk.items('a', 1000, 0.03, done))
  const lengths: number[] = []
  let before = desk.nowMs
  do {
    lengths.push(desk.nowMs - before)
    before = desk.nowMs
  } while (desk.slice())
  assert.equal(await made, 'a')
  assert.equal(done.length, 1000)
  const longest = Math.max(...lengths)
  assert.ok(longest > 0 && longest < SLICE_MS + 0.1, `${longest} ms`)
})

test('sixteen lists at once take no longer in one tick than one list', async () => {
  const desk = new Desk()
  const done: string[] = []
  const made = Array.from({ length: 8 }, (_, at) => {
    return desk.work.run({ share: share(`${at}`) }, desk.items(`${at}`, 100, 0.5, done))
  })
  assert.ok(desk.nowMs <= SLICE_MS, 'what is requested in one tick shares one slice')
  for (let before = desk.nowMs; desk.slice(); before = desk.nowMs) {
    assert.ok(desk.nowMs - before <= SLICE_MS + 0.5)
  }
  assert.deepEqual(await Promise.all(made), ['0', '1', '2', '3', '4', '5', '6', '7'])
})

test('short work that comes while nothing else waits is done at once', async () => {
  const desk = new Desk()
  const done: string[] = []
  const made = desk.work.run({ share: share('a') }, desk.items('a', 3, 0.5, done))
  assert.equal(done.length, 3)
  assert.equal(await made, 'a')
  assert.equal(desk.slice(), true)
  assert.equal(desk.slice(), false, 'an idle loop is not kept busy')
})

test('short work of another caller does not wait for a long list', () => {
  const desk = new Desk()
  const done: string[] = []
  void desk.work.run({ share: share('greedy', 1) }, desk.items('long', 10_000, 0.5, done))
  void desk.work.run({ share: share('greedy', 2) }, desk.items('long', 10_000, 0.5, done))
  for (let slice = 0; slice < 10; slice++) desk.slice()
  const before = done.length
  void desk.work.run({ share: share('modest') }, desk.items('short', 4, 0.5, done))
  desk.slice()
  desk.slice()
  assert.equal(done.slice(before).filter((name) => name === 'short').length, 4)
})

test('a list whose caller is gone is dropped, and its caller pays for what was done', async () => {
  const desk = new Desk()
  const done: string[] = []
  let isGone = false
  let paidMs = 0
  const onTook = (ms: number) => {
    paidMs += ms
  }
  const by = { share: share('a'), isGone: () => isGone, onTook }
  const made = desk.work.run(by, desk.items('a', 1000, 1, done))
  desk.slice()
  isGone = true
  while (desk.slice());
  assert.equal(await made, null)
  assert.ok(done.length < 20, `${done.length} items`)
  assert.equal(paidMs, done.length)
})

test('a fault of one list is its own', async () => {
  const desk = new Desk()
  const done: string[] = []
  function* broken(): Generator<void, string> {
    yield
    throw new TypeError('broken')
  }
  const failing = desk.work.run({ share: share('a') }, broken())
  const other = desk.work.run({ share: share('b') }, desk.items('b', 30, 1, done))
  while (desk.slice());
  await assert.rejects(failing, /broken/)
  assert.equal(await other, 'b')
})

test('above the bound the newest of the largest group makes way', async () => {
  const desk = new Desk()
  const done: string[] = []
  desk.nowMs = 0
  const greedy = Array.from({ length: 9 }, (_, at) => {
    return desk.work.run({ share: share('greedy', at) }, desk.items('g', 50, 1, done))
  })
  const modest = desk.work.run({ share: share('modest') }, desk.items('m', 5, 1, done))
  while (desk.slice());
  assert.equal(await modest, 'm')
  const ends = await Promise.all(greedy)
  assert.equal(ends.filter((end) => end === null).length, 2)
})
