import { LIMITS } from '../../../engine/domain/limits.ts'
import type { Ground } from '../ground.ts'
import type { Peer } from '../peer.ts'
import { plain, signed, upgrade } from '../requests.ts'

// Requests whose end is in doubt, calls with more bytes behind them, and heads that never end.

const HEALTH = plain('GET', '/health')
const BODY = '{"tokenIds":[]}'
const CHUNKS = `f\r\n${BODY}\r\n0\r\nx-trailer: 1\r\n\r\n${HEALTH}`

/** An order of the attacker with other lines in place of the length of its body. */
function framed(on: Ground, lines: string): string {
  const call = signed(on.scene.attacker, 'POST', '/orders', BODY)
  return call.replace(/content-length: \d+\r\n/, lines)
}

const FRAMINGS: readonly ((on: Ground) => string)[] = [
  (on) => framed(on, 'transfer-encoding: chunked\r\n').replace(BODY, CHUNKS),
  (on) => framed(on, 'transfer-encoding:\r\n') + HEALTH,
  (on) => framed(on, 'content-length:\r\n') + HEALTH,
  (on) => framed(on, 'content-length: 15\r\ncontent-length: 15\r\n') + HEALTH,
  () => HEALTH.replace('host: x', 'host: x\r\nhost: y'),
  () => HEALTH.replace('host: x', 'host:'),
  () => HEALTH.replace('/health', '/health#x'),
  () => upgrade().replace('Version: 13', 'Version: 8'),
  () => upgrade().replace('Connection: Upgrade\r\n', ''),
  () => upgrade().replace('Host: x', 'Host: x\r\nTransfer-Encoding: chunked'),
  (on) => signed(on.scene.attacker, 'POST', '/portfolio/split', BODY) + HEALTH,
  (on) => signed(on.scene.attacker, 'POST', '/orders', BODY) + HEALTH,
  () => `GET /health HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(LIMITS.headBytesMax)}\r\n\r\n`,
]

/** Sends one odd frame after the other, each on a connection of its own when the last one ended. */
export async function oddFrames(on: Ground): Promise<void> {
  let cycle = 0
  const caller = async (_: unknown, index: number) => {
    const from = index % 2
    let peer = on.peer(from)
    while (await on.cycle(1000)) {
      peer = on.again(peer, from)
      await peer.request(FRAMINGS[cycle++ % FRAMINGS.length](on))
    }
  }
  await Promise.all(Array.from({ length: 16 }, caller))
}

export const OPEN_HEADS = 4000
const HALF_HEAD = `GET /health HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(LIMITS.headBytesMax - 64)}`

/** Keeps as many heads open as it can, each almost as long as a head may be. */
export async function openHeads(on: Ground): Promise<void> {
  const peers: Peer[] = []
  for (let cycle = 0; await on.cycle(500); cycle++) {
    const place = cycle % OPEN_HEADS
    if (peers[place]?.isClosed === false) continue
    peers[place] = on.peer(cycle % 4).send(HALF_HEAD)
  }
}
