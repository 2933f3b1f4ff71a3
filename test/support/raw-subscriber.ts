import { RawClient } from '../server/edge/http/gateway/raw-client.ts'
import { textFrame, upgradeText } from './socket-client.ts'

/** A text frame of up to 64 KB; its mask is zero, so its bytes are those of the text. */
export function wideFrame(text: string): Buffer {
  const bytes = Buffer.from(text)
  const head = Buffer.from([0x81, 0xfe, bytes.length >> 8, bytes.length & 0xff, 0, 0, 0, 0])
  return Buffer.concat([head, bytes])
}

/**
 * A raw socket that subscribes to a channel and can stop reading. It is returned once `received`
 * came, which is part of the answer. The caller ends it.
 */
export async function rawSubscriber(
  port: number,
  [event, requested]: readonly [event: string, requested: object],
  received: string,
): Promise<RawClient> {
  const raw = new RawClient(port)
  const stated = async (word: string) => {
    while (!raw.received.includes(word)) await new Promise(setImmediate)
  }
  raw.send(upgradeText())
  await stated('"sid"')
  raw.send(textFrame('40/markets,'))
  await stated('40/markets,{')
  raw.send(wideFrame(`42/markets,${JSON.stringify([event, requested])}`))
  await stated(received)
  return raw
}
