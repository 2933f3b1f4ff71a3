// Bytes of the two protocols below the channels: Engine.IO's message around Socket.IO's packet. The
// library buffers the announced parts of a message until all have arrived, and keeps the data of a
// connect. So a message that no channel needs is refused by its first bytes.

import { LIMITS } from '../../../engine/domain/limits.ts'

export const NAMESPACE = '/markets'

const code = (character: string) => character.charCodeAt(0)
const MESSAGE = code('4')
const BASE64 = code('b')
const CONNECT = code('0')
const BINARY_EVENT = code('5')
const BINARY_ACK = code('6')
const SLASH = code('/')
const COMMA = code(',')

/** Engine.IO's ping; clients answer it at any time. */
export const PING = Buffer.from('2')

/** Whether the library may see a text message: no binary parts, no long name, no long connect. */
export function isTakenMessage(message: Uint8Array): boolean {
  const [first, kind, third] = message
  if (first === BASE64) return false
  if (first !== MESSAGE) return message.length <= LIMITS.socketControlBytesMax
  if (kind === BINARY_EVENT || kind === BINARY_ACK) return false
  if (kind === CONNECT && message.length > LIMITS.socketControlBytesMax) return false
  return third !== SLASH || hasShortName(message)
}

/** The name of a namespace ends at a comma or with the message. */
function hasShortName(message: Uint8Array): boolean {
  const end = Math.min(message.length, LIMITS.socketControlBytesMax)
  for (let at = 2; at < end; at++) {
    if (message[at] === COMMA) return true
  }
  return end === message.length
}

/** One event as the library would send it, encoded once for all receiving sockets. */
export function packetOf(event: string, payload: unknown): Uint8Array {
  return packetOfText(event, JSON.stringify(payload))
}

/** One event whose payload is JSON text already. */
export function packetOfText(event: string, payload: string): Uint8Array {
  return Buffer.from(`42${NAMESPACE},["${event}",${payload}]`)
}
