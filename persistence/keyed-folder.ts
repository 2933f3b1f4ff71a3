import { createHmac, createSecretKey, type Hmac, hkdfSync } from 'node:crypto'

/**
 * A data folder, and the key for the MACs of its journal and its snapshots. It is plain data, so
 * threads can receive it. The key opens no secret.
 */
export interface KeyedFolder {
  readonly dataDir: string
  readonly macKey: Uint8Array
}

/** A MAC for one use is not valid for another. */
type MacUse = 'journal' | 'journal head' | 'snapshot' | 'solvency'

export const MAC_BYTES = 32

/** Gives a function that starts a fresh HMAC-SHA256 at each call, with the sub-key of one use. */
export function macsOf({ macKey }: KeyedFolder, use: MacUse): () => Hmac {
  const subKey = Buffer.from(hkdfSync('sha256', macKey, '', `outcomex ${use}`, MAC_BYTES))
  const key = createSecretKey(subKey)
  return () => createHmac('sha256', key)
}
