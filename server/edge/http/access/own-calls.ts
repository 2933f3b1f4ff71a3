// Calls that this process makes to itself, as the demo does. Rate limits do not count them: the
// limits are meant for outside callers, a low limit would stop the demo, and the demo would use up
// the quota of an operator at the same address. A key known only to this process marks such a call.

import { randomBytes, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { ProfileId } from '../../../../engine/domain/ids.ts'
import { type Call, header } from '../../../messages/call.ts'
import { type Refusal, refuse } from '../../../messages/refusal.ts'

const HEADER = 'x-outcomex-own'
const KEY_BYTES = 32

export class OwnCalls {
  readonly #key = Buffer.from(randomBytes(KEY_BYTES).toString('base64url'))
  /** Profiles that only this process trades for: the profile limit of orders never sees headers. */
  readonly profiles = new Set<ProfileId>()

  /** The header that marks a call. */
  get headers(): Readonly<Record<string, string>> {
    return { [HEADER]: this.#key.toString() }
  }

  isMarked(headers: ReadonlyMap<string, string>): boolean {
    const given = headers.get(HEADER)
    if (given === undefined) return false
    const bytes = Buffer.from(given)
    return bytes.length === this.#key.length && timingSafeEqual(bytes, this.#key)
  }
}

// The `Host` headers that a listener for operators accepts. A page of another site can point its
// own name to this machine (DNS rebinding) and then read what needs no token here; such a request
// carries that name in `Host`. An address cannot be another site's name, so every address is
// accepted.

const PORT = /:[0-9]*$/

const NOT_OWN = refuse('HOST_INVALID', {
  message:
    'This listener does not accept that Host; use its address or localhost, or add the name ' +
    'to --ops-host.',
})

export class OwnHosts {
  readonly #names: ReadonlySet<string>

  /** Names without a port, in any letter case. */
  constructor(names: readonly string[]) {
    this.#names = new Set(['localhost', ...names.map((name) => name.toLowerCase())])
  }

  /** Null for a call to an address, to localhost or to one of the names, at any port. */
  refusal(call: Call): Refusal | null {
    const name = header(call, 'host').replace(PORT, '').toLowerCase()
    const isAddress = isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0
    return isAddress || this.#names.has(name) ? null : NOT_OWN
  }
}
