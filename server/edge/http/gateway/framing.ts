// Refuses requests that two parsers could read differently, before anything is done for them. A
// proxy in front may see the end of such a request elsewhere, and the rest would run as a request
// of another client. The library accepts all of them, so it must parse nothing after such a head.
//
// Every Transfer-Encoding is refused, because the library's chunk parser accepts many bytes as
// digits and line ends, and treats a trailer as the next request. The library drops bytes above
// 0x7f at both ends of a value, so a value of such bytes alone is empty here; it counts as present.
// A header without a name hides itself and all later headers from this check too, so an exchange on
// the open internet needs a proxy (server/docs/operating.md).

import { invalid, type Refusal, refuse } from '../../../messages/refusal.ts'

type Head = {
  readonly headers: ReadonlyMap<string, string>
  readonly target: string
}

const LENGTH = /^[0-9]{1,15}$/
/** A name or an address of RFC 3986, in printable ASCII, with an optional port. */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~%!$&'()*+;=-]+)(?::[0-9]{0,5})?$/

const LENGTH_INVALID = refuse('BODY_MALFORMED', {
  message: 'The Content-Length header must appear once, as a number of 1 to 15 digits.',
})

/** Null for a request whose end is unambiguous. */
export function framingRefusal({ headers, target }: Head): Refusal | null {
  if (headers.has('transfer-encoding')) return refuse('LENGTH_REQUIRED')
  const length = headers.get('content-length')
  if (length !== undefined && !LENGTH.test(length)) return LENGTH_INVALID
  if (!HOST.test(headers.get('host') ?? '')) return refuse('HOST_INVALID')
  return target.includes('#') ? refuse('TARGET_INVALID') : null
}

// Checks the handshake of a WebSocket (RFC 6455, 4.2.1). The library only looks for a key of 24
// characters. A proxy that treats the same request as plain HTTP would read frames as replies.

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
