// The `Host` headers that a listener for operators accepts. A page of another site can point its
// own name to this machine (DNS rebinding) and then read what needs no token here; such a request
// carries that name in `Host`. An address cannot be another site's name, so every address is
// accepted.

import { isIP } from 'node:net'
import { type Call, header } from '../../../messages/call.ts'
import { type Refusal, refuse } from '../../../messages/refusal.ts'

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
