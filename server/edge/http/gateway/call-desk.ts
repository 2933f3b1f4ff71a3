// Answers whole calls: proves the caller, checks it, runs the route and encodes the outcome. It
// touches no connection; the gateway reads requests and writes replies.
// Invariants: a call gets one reply or one fault. A route never runs for a caller that hung up
// before. The code that settles an outcome sees no fault of its reply.

import { mayAct } from '../../../../engine/domain/operator.ts'
import { edgePoint } from '../../../../engine/thread/fault-point.ts'
import type { Guarded } from '../../../auth/auth-scheme.ts'
import type { Caller } from '../../../messages/call.ts'
import { Refusal, refuse, roleMissing } from '../../../messages/refusal.ts'
import { Bytes, Pending } from '../reply.ts'
import type { Bulkheads } from './bulkheads.ts'
import { CallsWithin } from './calls-within.ts'
import { type Entry, needsJsonType, ofForm, profileWaitSec, rateKeyOf, readCall } from './entry.ts'
import type { GatewayOptions } from './gateway-options.ts'
import type { IncomingRequest } from './incoming-request.ts'
import { cacheOf, encoded, type Outgoing, statedBy, verify } from './replies/outgoing.ts'
import type { ReplyHeads } from './replies/reply-heads.ts'

/** A call with its whole body. The desk fills `caller`, and counts the call for its profile. */
type WholeCall<S> = Pick<
  IncomingRequest<S>,
  'call' | 'values' | 'address' | 'caller' | 'freshness' | 'bulkhead' | 'profileId'
>

interface CallDeskParts<S, C> {
  readonly options: GatewayOptions<S>
  readonly clock: () => number
  readonly bulkheads: Bulkheads
  readonly heads: ReplyHeads
  /** Receives each reply; null when the caller hung up before the route ran. Never throws. */
  readonly onReply: (call: C, out: Outgoing | null) => void
  /** Receives an exception of the call or of its reply. Never throws. */
  readonly onFault: (call: C, error: unknown, edge: 'http' | 'reply') => void
}

export class CallDesk<S, C extends WholeCall<S>> {
  readonly #parts: CallDeskParts<S, C>
  readonly #within: CallsWithin<S>

  constructor(parts: CallDeskParts<S, C>) {
    this.#parts = parts
    this.#within = new CallsWithin(parts.options, parts.bulkheads)
  }

  answer(incoming: C, entry: Entry<S>): void {
    try {
      edgePoint('at-prove')
      const { raw, auth } = entry.route
      const isOpen = auth.accepts.length === 0 && auth.welcomes === undefined
      if (raw || isOpen) {
        this.#run(incoming, entry, null)
        return
      }
      const proof = this.#parts.options.authenticate(incoming.call, auth)
      if (!(proof instanceof Promise)) {
        this.#run(incoming, entry, proof)
        return
      }
      this.#later(incoming, proof, (settled) => this.#run(incoming, entry, settled))
    } catch (error) {
      this.#parts.onFault(incoming, error, 'http')
    }
  }

  #run(incoming: C, entry: Entry<S>, proof: Caller | Refusal | null): void {
    if (incoming.call.isGone === true) {
      this.#parts.onReply(incoming, null)
      return
    }
    if (proof instanceof Refusal) {
      this.#finish(incoming, entry, proof)
      return
    }
    incoming.caller = proof
    const outcome =
      this.#refusalOf(incoming, entry, proof) ?? this.#outcomeOf(incoming, entry, proof)
    if (outcome instanceof Pending) {
      outcome.whenDone(
        (settled) => this.#finish(incoming, entry, settled),
        (error) => this.#parts.onFault(incoming, error, 'reply'),
      )
      return
    }
    if (!(outcome instanceof Promise)) {
      this.#finish(incoming, entry, outcome)
      return
    }
    this.#later(incoming, outcome, (settled) => this.#finish(incoming, entry, settled))
  }

  /** The refusals that need the caller and precede the handler, in order of precedence. */
  #refusalOf(incoming: C, { route }: Entry<S>, caller: Caller | null): Refusal | null {
    if (caller === null) return null
    const { options, bulkheads, clock } = this.#parts
    const key = rateKeyOf(caller)
    const limiter = options.profileLimiter ?? null
    const waitSec = profileWaitSec(limiter, key, route, incoming.call, clock())
    if (waitSec > 0) return refuse('RATE_LIMITED', undefined, waitSec)
    const share = incoming.address === '' ? null : bulkheads.known(incoming, key)
    const restricted = share ?? roleRefusal(route.auth, caller)
    if (restricted !== null) return restricted
    return needsJsonType(route, incoming.call, caller) ? refuse('JSON_CONTENT_TYPE') : null
  }

  #outcomeOf({ call, address, values }: C, entry: Entry<S>, caller: Caller | null): unknown {
    const { route } = entry
    const { options, clock } = this.#parts
    call.readMs = clock()
    this.#within.charged.begin({ call, route, address, caller })
    edgePoint('at-parse')
    const read = readCall(entry, values, call, caller)
    if (read instanceof Refusal) return ofForm(route, read)
    edgePoint('at-handle')
    const { services, ownerOfCall } = options
    return ofForm(route, route.run(read, services, ownerOfCall, this.#within.call))
  }

  /** May run in the code that settles the outcome, which must not see a fault of the reply. */
  #finish(incoming: C, entry: Entry<S>, outcome: unknown): void {
    let out: Outgoing
    try {
      out = this.#encoded(incoming, entry, outcome)
    } catch (error) {
      this.#parts.onFault(incoming, error, 'reply')
      return
    }
    this.#parts.onReply(incoming, out)
  }

  #encoded(incoming: C, { route }: Entry<S>, outcome: unknown): Outgoing {
    edgePoint('at-reply')
    const { call } = incoming
    if (outcome instanceof Bytes) incoming.freshness = outcome.freshness
    const { options, heads } = this.#parts
    const stated = statedBy(outcome)
    if (options.verifyReplies === true) verify(route, stated)
    return heads.of(call, cacheOf(route, outcome), encoded(stated, route.status))
  }

  #later<T>(incoming: C, promise: Promise<T>, next: (value: T) => void): void {
    promise.then(next).catch((error: unknown) => this.#parts.onFault(incoming, error, 'http'))
  }
}

/** The refusal of an operator whose role does not allow the call; null when it does. */
function roleRefusal({ accepts }: Guarded, { operator }: Caller): Refusal | null {
  const needed = accepts.find(({ scheme }) => scheme === 'admin')?.role
  if (operator === undefined || needed === undefined) return null
  return mayAct(operator.role, needed) ? null : roleMissing(needed, operator)
}
