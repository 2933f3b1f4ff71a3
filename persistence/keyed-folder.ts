import { createHmac, createSecretKey, type Hmac, hkdfSync } from 'node:crypto'

/**
 * A data folder, and the key under which its journal and its snapshots carry their MACs. Plain
 * data, so that threads can be given it; it opens no secret.
 */
export interface KeyedFolder {
  readonly dataDir: string
  readonly macKey: Uint8Array
}

/** A MAC of one use is none of another. */
type MacUse = 'journal' | 'journal head' | 'snapshot'

export const MAC_BYTES = 32

/** Makes a fresh HMAC-SHA256 at each call, under the sub-key of one use. */
export function macsOf({ macKey }: KeyedFolder, use: MacUse): () => Hmac {
  const subKey = Buffer.from(hkdfSync('sha256', macKey, '', `outcomex ${use}`, MAC_BYTES))
  const key = createSecretKey(subKey)
  return () => createHmac('sha256', key)
}
