// Who a socket speaks for: settled once, when it comes. A signature ages, so what it proved is kept
// with the connection; whether a token was revoked or a session ended is asked again.

import type { TimeMs } from '../../engine/domain/units.ts'
import type { AuthState, Guard } from '../auth/guard.ts'
import { hmacOrSession } from '../http/auth-scheme.ts'
import { type Call, type Caller, NO_BYTES } from '../http/call.ts'
import { Refusal, refuse } from '../http/refusal.ts'

/** What the handshake signs, whatever else its query says (rules §12.1). */
export const HANDSHAKE_TARGET = '/socket.io/?EIO=4&transport=websocket'

const ACCEPTED = hmacOrSession().accepts
const [PATH, QUERY] = HANDSHAKE_TARGET.split('?')

export interface HandshakeParts {
  readonly guard: Guard
  readonly auth: AuthState
  readonly clock: () => TimeMs
}

/** What a connection proved, and whether that holds. */
export interface Proof {
  /** Null for nobody. */
  readonly caller: Caller | null
  /** Why a proof was not taken; null when there was none, or a good one. */
  readonly refusal: Refusal | null
  readonly isStillGood: () => boolean
}

const NOBODY: Proof = { caller: null, refusal: null, isStillGood: () => false }

export class Handshakes {
  readonly #parts: HandshakeParts

  constructor(parts: HandshakeParts) {
    this.#parts = parts
  }

  proofOf(headers: ReadonlyMap<string, string>): Proof {
    const call = handshakeCall(headers)
    const proof = this.#prove(call)
    if (proof === null) return NOBODY
    if (proof instanceof Refusal) return { ...NOBODY, refusal: proof }
    const { tokenId } = proof
    const isStillGood = tokenId === null ? this.#session(call) : this.#token(tokenId)
    return { caller: proof, refusal: null, isStillGood }
  }

  // Two, so that a connection of a token does not keep the headers that it came with.
  #session(call: Call): () => boolean {
    return () => !(this.#prove(call) instanceof Refusal)
  }

  #token(tokenId: string): () => boolean {
    return () => this.#parts.auth.tokenById(tokenId) !== undefined
  }

  /** Null when the client showed no proof at all. */
  #prove(call: Call): Caller | Refusal | null {
    const { guard, clock } = this.#parts
    const proof = guard.authenticate(call, { accepts: ACCEPTED }, clock())
    // Identity tokens alone take a promise, and they are not accepted here.
    if (proof instanceof Promise) return refuse('UNAUTHENTICATED')
    if (!(proof instanceof Refusal)) {
      // Any page may open a socket, and the browser sends the cookie along.
      const isOwn = proof.via !== 'session' || guard.isOwnOrigin(call)
      return isOwn ? proof : refuse('ORIGIN_NOT_ALLOWED')
    }
    if (proof.name !== 'UNAUTHENTICATED') return proof
    // A key without a signature was good long ago.
    return call.headers.has('x-api-key') ? proof : null
  }
}

/** The handshake as the call whose signature it carries. */
function handshakeCall(headers: ReadonlyMap<string, string>): Call {
  return {
    method: 'GET',
    path: PATH,
    target: HANDSHAKE_TARGET,
    query: QUERY,
    headers,
    body: NO_BYTES,
    from: '',
    receivedMs: 0,
    readMs: 0,
    timesRow: 0,
  }
}
