import { RawClient, type RawHeaders } from './raw-client.ts'
import { textFrame, upgradeText } from './socket-client.ts'

export const JOIN = textFrame('40/markets,')

/** A text frame of up to 64 KB; its mask is zero, so its bytes are those of the text. */
export function wideFrame(text: string): Buffer {
  const bytes = Buffer.from(text)
  const head = Buffer.from([0x81, 0xfe, bytes.length >> 8, bytes.length & 0xff, 0, 0, 0, 0])
  return Buffer.concat([head, bytes])
}

/** A client of raw bytes whose WebSocket has joined the namespace. */
export async function rawMember(port: number, headers: RawHeaders = {}): Promise<RawClient> {
  const raw = await new RawClient(port).send(upgradeText(headers)).got('"sid"')
  return raw.send(JOIN).got('40/markets,{')
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
  const raw = await rawMember(port)
  raw.send(wideFrame(`42/markets,${JSON.stringify([event, requested])}`))
  return raw.got(received)
}
