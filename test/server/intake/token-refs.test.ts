import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keccakReady } from '../../../server/crypto/keccak.ts'
import type { DirectoryChange } from '../../../server/intake/directory.ts'
import { IntakeLane } from '../../../server/intake/intake-lane.ts'
import { FROM_INTAKE, RESULT, TO_INTAKE } from '../../../server/intake/intake-layout.ts'
import * as kit from './order-kit.ts'

const { READY, RESULT: ANSWER, FORGOT } = FROM_INTAKE

/** Tags of the frames that a thread gave, each with the token reference that it names. */
function framesOf(lane: IntakeLane): [tag: number, ref: number][] {
  const frames: [number, number][] = []
  const { results } = lane
  while (results.next()) {
    const { tag, view, byteOffset } = results
    if (tag === FORGOT) lane.forgot()
    const at = tag === ANSWER ? byteOffset + RESULT.tokenRef : byteOffset
    frames.push([tag, tag === READY ? 0 : view.getUint32(at, true)])
  }
  results.free()
  return frames
}

test('main forgets a revoked token behind the last result that names it', async () => {
  await keccakReady
  const frames: [number, number][] = []
  await new Promise<void>((resolve) => {
    const lane = new IntakeLane({
      index: 1,
      domain: kit.DOMAIN,
      ringBytes: 1 << 16,
      onResults: () => {
        do frames.push(...framesOf(lane))
        while (!lane.results.arm())
        if (frames.length === 6) void lane.stop()
      },
      onEnd: () => resolve(),
    })
    const tell = (change: DirectoryChange) => {
      lane.wait(TO_INTAKE.CHANGE, Buffer.from(JSON.stringify(change)))
    }
    const order = kit.signed(kit.unsignedOrder())
    const ask = (requestId: number) => {
      assert.ok(lane.flush())
      assert.ok(lane.submit(kit.request(JSON.stringify(kit.orderBody(order)), { requestId })))
    }
    const { secret, ...entry } = kit.tokenEntry()
    const token = { ...entry, secretBase64: secret.toString('base64') }
    for (let life = 1; life <= 2; life++) {
      tell({ ...token, kind: 'token', tokenRef: lane.tokenRefs.give(token.tokenId) })
      ask(life)
      tell({ kind: 'revoke', tokenId: token.tokenId })
      assert.equal(lane.tokenRefs.count, life)
    }
    ask(3)
    lane.send()
  })
  assert.deepEqual(frames, [
    [READY, 0],
    [ANSWER, 1],
    [FORGOT, 1],
    [ANSWER, 2],
    [FORGOT, 2],
    [ANSWER, 0],
  ])
})
