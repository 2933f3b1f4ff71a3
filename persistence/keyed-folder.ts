import { createHmac, createSecretKey, type Hmac, hkdfSync } from 'node:crypto'

/**
 * A data folder, and the key for the MACs of its journal and snapshots. It is plain data, so
 * threads can receive it. The key opens no secret.
 */
export interface KeyedFolder {
  readonly dataDir: string
  readonly macKey: Uint8Array
}

/** A MAC for one use is invalid for another. */
type MacUse = 'journal' | 'journal head' | 'segment' | 'snapshot' | 'names' | 'solvency'

export const MAC_BYTES = 32

/** Returns a function that starts a new HMAC-SHA256 with the sub-key of one use. */
export function macsOf({ macKey }: KeyedFolder, use: MacUse): () => Hmac {
  const subKey = Buffer.from(hkdfSync('sha256', macKey, '', `outcomex ${use}`, MAC_BYTES))
  const key = createSecretKey(subKey)
  return () => createHmac('sha256', key)
}
