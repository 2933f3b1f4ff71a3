// Refuses requests that two parsers could read differently, before anything is done for them. A
// proxy in front may see the end of such a request elsewhere, and the rest would run as a request
// of another client. The library accepts all of them, so it must parse nothing after such a head.
//
// Every Transfer-Encoding is refused, because the library's chunk parser accepts many bytes as
// digits and line ends, and treats a trailer as the next request. The library drops bytes above
// 0x7f at both ends of a value, so a value of such bytes alone is empty here; it counts as present.
// A header without a name hides itself and all later headers from this check too, so an exchange on
// the open internet needs a proxy (server/docs/operating.md).

import { type Refusal, refuse } from '../../../messages/refusal.ts'

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
