import type { TimeMs } from '../units.ts'

/** Prevents a call from executing twice. Digests are lowercase hex SHA-256. */
export interface CallOnce {
  /** `signed`: by its signature. `keyed`: by its profile's idempotency key. */
  readonly by: 'signed' | 'keyed'
  readonly digest: string
  /** The request body, for a keyed call; '' for a signed call. */
  readonly bodyDigest: string
  readonly untilMs: TimeMs
}
