import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QuestionQueue } from '../../../persistence/query/query-queue.ts'

// Who is served when the query thread is the bottleneck. The cost of each question is an argument:
// no clock runs here.

interface Params {
  readonly name: string
  readonly costMs: number
  readonly slice: {
    readonly group: string
    readonly owner: number
    readonly untilMs: number
    readonly isPrompt?: boolean
  }
}

function params(group: string, owner: number, costMs: number): Params {
  return { name: `${group} ${owner}`, costMs, slice: { group, owner, untilMs: 0 } }
}

/** Serves questions until the predicate holds; gives the time that this took. */
function serve(queue: QuestionQueue<Params>, until: (served: Params) => boolean): number {
  let spentMs = 0
  for (;;) {
    const next = queue.next()
    assert.ok(next !== undefined, 'the question is served before the queue is empty')
    spentMs += next.costMs
    queue.done(next, next.costMs)
    // Each profile of the attacker has one question outstanding at all times.
    if (next.costMs > 1) queue.put(next)
    if (until(next)) return spentMs
  }
}

test('fifty profiles of one address delay another address as one profile would', () => {
  for (const profiles of [1, 50]) {
    const queue = new QuestionQueue<Params>()
    for (let owner = 1; owner <= profiles; owner++) queue.put(params('10.0.0.1', owner, 7))
    for (let warm = 0; warm < 20; warm++) serve(queue, () => true)
    for (let slice = 0; slice < 5; slice++) {
      const mine = params('10.0.0.2', 1000, 0.5)
      queue.put(mine)
      assert.ok(serve(queue, (served) => served === mine) <= 7.5, `${profiles} profiles`)
    }
  }
})

test('groups get equal time, not equal numbers of questions', () => {
  const queue = new QuestionQueue<Params>()
  const servedMs = new Map<string, number>()
  for (let count = 0; count < 500; count++) {
    queue.put(params('heavy', 1, 8))
    queue.put(params('light', 2, 0.5))
  }
  for (let count = 0; count < 400; count++) {
    const next = queue.next()
    assert.ok(next !== undefined)
    queue.done(next, next.costMs)
    servedMs.set(next.slice.group, (servedMs.get(next.slice.group) ?? 0) + next.costMs)
  }
  const [heavy, light] = [servedMs.get('heavy') ?? 0, servedMs.get('light') ?? 0]
  assert.ok(Math.abs(heavy - light) <= 8, `${heavy} ms and ${light} ms`)
})

test('within a group the profiles get equal time', () => {
  const queue = new QuestionQueue<Params>()
  const servedMs = new Map<number, number>()
  for (let count = 0; count < 300; count++) {
    queue.put(params('10.0.0.1', 1, 7))
    queue.put(params('10.0.0.1', 2, 1))
  }
  for (let count = 0; count < 200; count++) {
    const next = queue.next()
    assert.ok(next !== undefined)
    queue.done(next, next.costMs)
    servedMs.set(next.slice.owner, (servedMs.get(next.slice.owner) ?? 0) + next.costMs)
  }
  const [heavy, light] = [servedMs.get(1) ?? 0, servedMs.get(2) ?? 0]
  assert.ok(Math.abs(heavy - light) <= 7, `${heavy} ms and ${light} ms`)
})

test('a group that was idle starts level with the others: it saves up no time', () => {
  const queue = new QuestionQueue<Params>()
  for (let count = 0; count < 100; count++) queue.put(params('busy', 1, 5))
  for (let count = 0; count < 90; count++) serve(queue, () => true)
  for (let count = 0; count < 20; count++) queue.put(params('late', 2, 0.9))
  const names = Array.from({ length: 20 }, () => {
    const next = queue.next()
    assert.ok(next !== undefined)
    queue.done(next, next.costMs)
    return next.slice.group
  })
  assert.ok(names.filter((name) => name === 'busy').length >= 3, names.join(' '))
})

test('a group whose question is with the thread pays what its last question cost', () => {
  const queue = new QuestionQueue<Params>()
  for (let count = 0; count < 10; count++) queue.put(params('heavy', 1, 7))
  serve(queue, () => true)
  queue.put(params('other', 2, 0.5))
  // The thread has two questions at once: both must not be the heavy group's.
  const names = [queue.next()?.slice.group, queue.next()?.slice.group].sort()
  assert.deepEqual(names, ['heavy', 'other'])
})

test('a login goes before the reads of everybody, and behind what an order waits for', () => {
  const queue = new QuestionQueue<Params>()
  for (let owner = 1; owner <= 300; owner++) queue.put(params('10.0.0.1', owner, 7))
  const login = {
    ...params('', 1, 0.1),
    name: 'login',
    slice: { group: '', owner: 1, untilMs: 0, isPrompt: true },
  }
  queue.put(login)
  const lookup = { ...params('', 0, 0.1), name: 'order' }
  queue.putUrgent(lookup)
  assert.deepEqual([queue.next()?.name, queue.next()?.name], ['order', 'login'])
  queue.put(login)
  queue.drop(login)
  assert.notEqual(queue.next()?.name, 'login')
})

test('a full queue takes from the largest group, whichever member sends the query', () => {
  const queue = new QuestionQueue<Params>()
  for (let owner = 1; owner <= 50; owner++) queue.put(params('10.0.0.1', owner, 7))
  for (let count = 0; count < 4; count++) queue.put(params('10.0.0.2', 100, 1))
  assert.equal(queue.giveWayTo({ group: '10.0.0.2', owner: 100 })?.slice.group, '10.0.0.1')
  assert.equal(queue.giveWayTo({ group: '10.0.0.1', owner: 99 }), undefined)
})
