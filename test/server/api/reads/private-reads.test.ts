import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { profiles } from '../../../../persistence/query/read/profiles.ts'
import { PrivateReads, publicRequester } from '../../../../server/api/reads/private-reads.ts'
import { EdgeFaults } from '../../../../server/ops/faults.ts'
import { newFolder } from '../../../support/data-folder.ts'
import { fill, openForTest } from '../../../support/open-pipeline.ts'

test('a profile has a bound on reads under way, and others are still answered', async () => {
  const exchange = await openForTest(newFolder(), { nowMs: 1_800_000_000_000 })
  await fill(exchange, 1)
  const { pipeline, follower, query } = exchange
  const reads = new PrivateReads(pipeline, { follower, query, faults: new EdgeFaults(() => {}) })
  // On a busy machine the thread starts later than a read may wait.
  await query.warm()
  const read = (profileId: number) => reads.read(profiles, [1], { profileId })
  const greedy = Array.from({ length: LIMITS.readsPerProfileMax }, () => read(1))
  assert.equal(await read(1), undefined)
  const [modest, ourselves] = [read(2), read(0)]
  assert.equal((await modest)?.length, 1)
  assert.equal((await ourselves)?.length, 1)
  await Promise.all(greedy)
  // An address has a bound as well, and costs no other address its place.
  const ofAddress = (addressKey: string) => {
    return reads.read(profiles, [1], publicRequester({ addressKey }))
  }
  const flood = Array.from({ length: LIMITS.readsPerAddressMax }, () => ofAddress('10.0.0.1'))
  assert.equal(await ofAddress('10.0.0.1'), undefined)
  assert.equal((await ofAddress('10.0.0.2'))?.length, 1)
  await Promise.all(flood)
  // A read that is over frees its place for another.
  assert.equal((await read(1))?.length, 1)
})
