// What a route accepts as proof of who is speaking. Descriptions only: server/auth does the
// proving.

import type { Scope } from '../../engine/domain/command.ts'
import type { ProfileId } from '../../engine/domain/ids.ts'
import { mayAct, type Role } from '../../engine/domain/operator.ts'
import type { Acting, Caller } from './call.ts'

export type Scheme = 'session' | 'hmac' | 'identity' | 'admin'

export interface Accepted {
  readonly scheme: Scheme
  /** Scopes an API token needs; the other schemes have none. */
  readonly scopes: readonly Scope[]
  /** The lowest role an operator needs; the other schemes have none. */
  readonly role?: Role
}

/** `C` is the caller that a handler gets, `O` the owner. */
export interface Auth<C extends Caller | null, O = null> {
  /** Empty for a route open to all. */
  readonly accepts: readonly Accepted[]
  /** Whether the call may be for a sub-account of its caller (rules §12.1). */
  readonly isForSubAccounts: boolean
  admits(caller: Caller | null): caller is C
  /** What the handler is told of the profile that the call is for. */
  ownerOf(profileId: ProfileId): O
}

/** Of a caller with a token, whose partners may act for their sub-accounts. */
interface TokenAuth extends Auth<Caller> {
  forSubAccounts(): Auth<Caller, number>
}

function auth(...accepts: Accepted[]): Auth<Caller> {
  return {
    accepts,
    isForSubAccounts: false,
    admits: (caller): caller is Caller => caller !== null,
    ownerOf: () => null,
  }
}

export function open(): Auth<null> {
  return { ...auth(), admits: (caller): caller is null => caller === null }
}

export function hmac(...scopes: Scope[]): TokenAuth {
  const own = auth({ scheme: 'hmac', scopes })
  const forSubAccounts = () => {
    return { ...own, isForSubAccounts: true, ownerOf: (profileId: ProfileId) => profileId }
  }
  return { ...own, forSubAccounts }
}

export function session(): Auth<Caller> {
  return auth({ scheme: 'session', scopes: [] })
}

export function identity(): Auth<Caller> {
  return auth({ scheme: 'identity', scopes: [] })
}

/** An operator of this role, or of one that may do more. */
export function admin(role: Role): Auth<Acting> {
  return {
    ...auth({ scheme: 'admin', scopes: [], role }),
    admits: (caller): caller is Acting =>
      caller?.operator !== undefined && mayAct(caller.operator.role, role),
  }
}

export function hmacOrSession(...scopes: Scope[]): Auth<Caller> {
  return eitherOf(hmac(...scopes), session())
}

export function sessionOrIdentity(): Auth<Caller> {
  return eitherOf(session(), identity())
}

/** Any of several; the scopes of each stay its own. */
export function eitherOf(...ways: Auth<Caller>[]): Auth<Caller> {
  return auth(...ways.flatMap((way) => way.accepts))
}
