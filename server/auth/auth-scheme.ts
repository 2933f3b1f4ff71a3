// The authentication schemes that a route accepts. These are descriptions only; server/auth checks
// the credentials.

import type { Reach } from '../../engine/core/decide/partners.ts'
import type { Scope } from '../../engine/domain/command.ts'
import type { ProfileId } from '../../engine/domain/ids.ts'
import { mayAct, type Role } from '../../engine/domain/operator.ts'
import type { Acting, Caller } from '../messages/call.ts'

export type Scheme = 'session' | 'hmac' | 'bearer' | 'identity' | 'admin'

export interface Accepted {
  readonly scheme: Scheme
  /** Scopes that an API token needs; empty for the other schemes. */
  readonly scopes: readonly Scope[]
  /** The lowest role that an operator needs; absent for the other schemes. */
  readonly role?: Role
}

/** `C` is the type of the caller passed to the handler, `O` that of the owner. */
export interface Auth<C extends Caller | null, O = null> {
  /** Empty for a route open to all. */
  readonly accepts: readonly Accepted[]
  /** Schemes that an open route also accepts; the handler then knows the caller. */
  readonly welcomes?: readonly Accepted[]
  /** Which sub-accounts of its caller the call may act for; null for none (rules §12.1). */
  readonly reach: Reach | null
  admits(caller: Caller | null): caller is C
  /** The owner passed to the handler for the profile that the call acts for. */
  ownerOf(profileId: ProfileId): O
}

/** A partner may use its API token for a sub-account. */
interface ProfileAuth extends Auth<Caller> {
  forSubAccounts(): Auth<Caller, number>
  /** For a call that moves money: server wallets only; other sub-accounts sign themselves. */
  forServerWallets(): Auth<Caller, number>
  /** Open to all; the handler knows a caller that authenticates. */
  orNobody(): Auth<Caller | null>
}

function auth(...accepts: Accepted[]): ProfileAuth {
  const own: Auth<Caller> = {
    accepts,
    reach: null,
    admits: (caller): caller is Caller => caller !== null,
    ownerOf: () => null,
  }
  const reaching = (reach: Reach) => () => {
    return { ...own, reach, ownerOf: (profileId: ProfileId) => profileId }
  }
  const orNobody = (): Auth<Caller | null> => {
    const admits = (_caller: Caller | null): _caller is Caller | null => true
    return { ...own, accepts: [], welcomes: accepts, admits }
  }
  return {
    ...own,
    forSubAccounts: reaching('subAccounts'),
    forServerWallets: reaching('serverWallets'),
    orNobody,
  }
}

export function open(): Auth<null> {
  return { ...auth(), admits: (caller): caller is null => caller === null }
}

export function hmac(...scopes: Scope[]): ProfileAuth {
  return auth({ scheme: 'hmac', scopes })
}

export function session(): Auth<Caller> {
  return auth({ scheme: 'session', scopes: [] })
}

export function identity(): Auth<Caller> {
  return auth({ scheme: 'identity', scopes: [] })
}

/** Accepts an operator of this role or a higher one. */
export function admin(role: Role): Auth<Acting> {
  return {
    ...auth({ scheme: 'admin', scopes: [], role }),
    admits: (caller): caller is Acting =>
      caller?.operator !== undefined && mayAct(caller.operator.role, role),
  }
}

export function hmacOrSession(...scopes: Scope[]): ProfileAuth {
  return eitherOf(hmac(...scopes), session())
}

export function sessionOrIdentity(): Auth<Caller> {
  return eitherOf(session(), identity())
}

/** Accepts any of several schemes; each keeps its own scopes. */
export function eitherOf(...ways: Auth<Caller>[]): ProfileAuth {
  return auth(...ways.flatMap((way) => way.accepts))
}

/** Which proofs a route accepts, without the types of its callers. */
export type Guarded = Pick<Auth<null>, 'accepts' | 'welcomes'>
