// Which `Host` headers a listener for operators answers. A page of another site can make its own
// name point to this machine (DNS rebinding), and then read what needs no token here: the header
// has that name. An address in its place names no page of another site, so every address is
// answered.

import { isIP } from 'node:net'
import { type Call, header } from '../../../messages/call.ts'
import { type Refusal, refuse } from '../../../messages/refusal.ts'

const PORT = /:[0-9]*$/

const NOT_OWN = refuse('HOST_INVALID', {
  message:
    'This listener is not for that Host; call it by its address or as localhost, or add the name ' +
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
