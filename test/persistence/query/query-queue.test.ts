import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QuestionQueue } from '../../../persistence/query/query-queue.ts'
import { freshSeed, Random } from '../../support/random.ts'

const SEED = freshSeed()

const question = (owner: number, name = '') => ({
  name,
  slice: { group: String(owner), owner, untilMs: 0 },
})
type Params = ReturnType<typeof question>

test('lines alternate: a line of a thousand queries delays another by one per slice', () => {
  const queue = new QuestionQueue<Params>()
  for (let index = 0; index < 1000; index++) queue.put(question(1, `greedy ${index}`))
  for (let index = 0; index < 3; index++) queue.put(question(2, `modest ${index}`))
  queue.putUrgent(question(3, 'urgent'))
  const names = Array.from({ length: 8 }, () => queue.next()?.name)
  assert.deepEqual(names, [
    'urgent',
    'greedy 0',
    'modest 0',
    'greedy 1',
    'modest 1',
    'greedy 2',
    'modest 2',
    'greedy 3',
  ])
  assert.equal(queue.count, 996)
})

test('a full queue takes from the longest line, unless the new line would be as long', () => {
  const queue = new QuestionQueue<Params>()
  for (let index = 0; index < 5; index++) queue.put(question(1, `long ${index}`))
  for (let index = 0; index < 4; index++) queue.put(question(2, `short ${index}`))
  assert.equal(queue.giveWayTo({ group: '3', owner: 3 })?.name, 'long 4')
  assert.equal(queue.giveWayTo({ group: '1', owner: 1 }), undefined, 'the own line is the longest')
  assert.equal(
    queue.giveWayTo({ group: '2', owner: 2 }),
    undefined,
    'the own line would be as long',
  )
})

test(`no question is lost, doubled or out of the order of its line (SEED=${SEED})`, () => {
  const random = new Random(SEED)
  const queue = new QuestionQueue<Params>()
  const lines = new Map<number, Params[]>()
  for (let step = 0; step < 20_000; step++) {
    const owner = random.between(0, 8)
    const line = lines.get(owner) ?? []
    if (random.chance(0.45)) {
      const params = question(owner, String(step))
      queue.put(params)
      lines.set(owner, [...line, params])
    } else if (random.chance(0.2) && line.length > 0) {
      const params = random.pick(line)
      queue.drop(params)
      lines.set(
        owner,
        line.filter((each) => each !== params),
      )
    } else {
      const next = queue.next()
      const from = next === undefined ? undefined : lines.get(next.slice.owner)
      assert.equal(next, from?.[0])
      from?.shift()
    }
    const count = [...lines.values()].reduce((sum, { length }) => sum + length, 0)
    assert.equal(queue.count, count)
  }
})
