// Who sends a request, and what is wrong with its proof.

export const ROLES = ['owner', 'stranger', 'partner', 'nobody', 'admin'] as const
export type Role = (typeof ROLES)[number]
export const PROOFS = ['hmac', 'bearer', 'session', 'identity', 'admin', 'none'] as const
export type Proof = (typeof PROOFS)[number]
/** What is wrong with a proof. Only `none`, and `scope` where its scopes suffice, opens a route. */
export const FLAWS = [
  'none',
  'secret',
  'stale',
  'future',
  'timestamp',
  'signature',
  'path',
  'body',
  'method',
  'key',
  'scope',
  'garbage',
] as const
export type Flaw = (typeof FLAWS)[number]

export interface Speaker {
  readonly role: Role
  readonly proof: Proof
  readonly flaw: Flaw
}

export const WALLET_FLAWS = ['none', 'signature', 'account', 'message', 'twice'] as const
export type WalletFlaw = (typeof WALLET_FLAWS)[number]
