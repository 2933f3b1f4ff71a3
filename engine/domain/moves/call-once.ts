import type { TimeMs } from '../units.ts'

/** Why a call is not made a second time. Digests are lowercase hex SHA-256. */
export interface CallOnce {
  /** `signed`: its signature. `keyed`: the idempotency key of its profile. */
  readonly by: 'signed' | 'keyed'
  readonly digest: string
  /** What the call asked for, under a key; '' for a signed call. */
  readonly bodyDigest: string
  readonly untilMs: TimeMs
}
