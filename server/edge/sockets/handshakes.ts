// The caller of a socket, decided once at its handshake. A signature ages, so its result is kept
// with the connection. Revoked tokens and ended sessions are checked again later.

import type { TimeMs } from '../../../engine/domain/units.ts'
import { hmacOrSession } from '../../auth/auth-scheme.ts'
import type { AuthState, Guard } from '../../auth/guard.ts'
import { type Call, type Caller, NO_BYTES } from '../../messages/call.ts'
import { Refusal, refuse } from '../../messages/refusal.ts'

/**
 * The path that a handshake may sign, whatever the query of its request (rules §12.1). Clients that
 * leave the request to their library sign this; others sign the target that they request.
 */
export const HANDSHAKE_TARGET = '/socket.io/?EIO=4&transport=websocket'

const ACCEPTED = hmacOrSession().accepts

export interface HandshakeParts {
  readonly guard: Guard
  readonly auth: AuthState
  readonly clock: () => TimeMs
}

/** The credentials of a connection, and whether they are still valid. */
export interface Proof {
  /** Null for an anonymous client. */
  readonly caller: Caller | null
  /** Why the credentials were refused; null for valid ones, and without any. */
  readonly refusal: Refusal | null
  readonly isStillGood: () => boolean
}

const NOBODY: Proof = { caller: null, refusal: null, isStillGood: () => false }

export class Handshakes {
  readonly #parts: HandshakeParts

  constructor(parts: HandshakeParts) {
    this.#parts = parts
  }

  /** `target` is what the client requested. */
  proofOf(headers: ReadonlyMap<string, string>, target: string): Proof {
    let call = handshakeCall(headers, target)
    let proof = this.#prove(call)
    if (proof instanceof Refusal && proof.name === 'HMAC_INVALID' && target !== HANDSHAKE_TARGET) {
      const constant = handshakeCall(headers, HANDSHAKE_TARGET)
      const second = this.#prove(constant)
      // When neither is signed, the refusal is that of the requested target.
      if (!(second instanceof Refusal)) [call, proof] = [constant, second]
    }
    if (proof === null) return NOBODY
    if (proof instanceof Refusal) return { ...NOBODY, refusal: proof }
    const { tokenId } = proof
    const isStillGood = tokenId === null ? this.#session(call) : this.#token(tokenId)
    return { caller: proof, refusal: null, isStillGood }
  }

  // Two functions, so that a connection with a token does not keep the headers of its handshake.
  #session(call: Call): () => boolean {
    return () => !(this.#prove(call) instanceof Refusal)
  }

  #token(tokenId: string): () => boolean {
    return () => this.#parts.auth.tokenById(tokenId) !== undefined
  }

  /** Null when the client sent no credentials. */
  #prove(call: Call): Caller | Refusal | null {
    const { guard, clock } = this.#parts
    const proof = guard.authenticate(call, { accepts: ACCEPTED }, clock())
    // Only identity tokens return a promise, and they are not accepted here.
    if (proof instanceof Promise) return refuse('UNAUTHENTICATED')
    if (!(proof instanceof Refusal)) {
      // Any page may open a socket, and the browser sends the cookie with it.
      const isOwn = proof.via !== 'session' || guard.isOwnOrigin(call)
      return isOwn ? proof : refuse('ORIGIN_NOT_ALLOWED')
    }
    if (proof.name !== 'UNAUTHENTICATED') return proof
    // A bare `x-api-key` without a signature was valid in earlier exchanges; it is refused now.
    return call.headers.has('x-api-key') ? proof : null
  }
}

/** The handshake as the call that its signature covers. */
function handshakeCall(headers: ReadonlyMap<string, string>, target: string): Call {
  const [path, query] = target.split('?')
  return {
    method: 'GET',
    path,
    target,
    query,
    headers,
    body: NO_BYTES,
    from: '',
    addressKey: '',
    receivedMs: 0,
    readMs: 0,
    timesRow: 0,
  }
}
