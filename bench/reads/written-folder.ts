// A data folder whose every row comes from commands that the core applied and the follower wrote.

import { openSeal } from '../../persistence/folder-key.ts'
import { Follower } from '../../persistence/follower/follower.ts'
import { type Seal, tokenSecretOf } from '../../persistence/seal.ts'
import { fillJournal } from '../../test/support/journal-fill.ts'
import { progress } from '../report/progress.ts'

const BATCH = 512

/** Writes the records of a story into the journal and into the tables. */
export function writeStory(dataDir: string, story: (seal: Seal) => Iterable<Uint8Array>): void {
  const seal = openSeal(dataDir)
  const tail = fillJournal(dataDir, story(seal), BATCH)
  const follower = new Follower(seal.keyed(dataDir))
  while (follower.step(tail.seq)) {
    progress(`reads: ${follower.readSeq} of ${tail.seq} in the tables`)
  }
  follower.close()
}

/** A token of a profile; the folder must be able to open its secret. */
export function sealedToken(seal: Seal, profileId: number) {
  const tokenId = `token-${profileId}`
  const sealedSecret = seal.seal(new Uint8Array(32), tokenSecretOf(tokenId, profileId))
  return { tokenId, sealedSecret, label: null, scopes: ['trading' as const] }
}
