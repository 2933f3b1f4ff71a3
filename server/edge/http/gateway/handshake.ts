// Checks the handshake of a WebSocket (RFC 6455, 4.2.1). The library only looks for a key of 24
// characters. A proxy that treats the same request as plain HTTP would read frames as replies.

import { invalid, type Refusal, refuse } from '../../../messages/refusal.ts'

type Headers = ReadonlyMap<string, string>

/** 16 bytes in base64: the last character before the padding carries two bits. */
const KEY = /^[A-Za-z0-9+/]{21}[AQgw]==$/

function lists(value: string, word: string): boolean {
  return value.split(',').some((each) => each.trim().toLowerCase() === word)
}

/** Null for a handshake that both ends interpret alike. */
export function handshakeRefusal(headers: Headers): Refusal | null {
  const header = (name: string) => headers.get(name) ?? ''
  if (!lists(header('upgrade'), 'websocket')) {
    return invalid({ field: 'upgrade', message: 'must be websocket' })
  }
  if (!lists(header('connection'), 'upgrade')) {
    return invalid({ field: 'connection', message: 'must name upgrade' })
  }
  if (header('sec-websocket-version') !== '13') return refuse('HANDSHAKE_VERSION')
  if (!KEY.test(header('sec-websocket-key'))) {
    return invalid({ field: 'sec-websocket-key', message: 'must be 16 bytes in base64' })
  }
  if (Number(header('content-length')) > 0) {
    return invalid({ field: 'content-length', message: 'must be 0 or absent' })
  }
  return null
}
