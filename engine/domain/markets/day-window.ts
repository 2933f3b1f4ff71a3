// The last day of a market, in buckets. The newest bucket is the current one, so the window is a
// day less the remaining part of that bucket.

import type { TimeMs } from '../units.ts'

export const DAY_BUCKET_MS = 5 * 60_000
export const DAY_BUCKETS = (24 * 3_600_000) / DAY_BUCKET_MS

/** The bucket of a time. Buckets count from the Unix epoch. */
export function dayBucketOf(atMs: TimeMs): number {
  return Math.floor(atMs / DAY_BUCKET_MS)
}

/** The oldest bucket of the window whose newest is `bucket`. */
export function oldestBucketOf(bucket: number): number {
  return bucket - DAY_BUCKETS + 1
}
