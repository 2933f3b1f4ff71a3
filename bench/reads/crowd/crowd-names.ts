// Who is who in the exchange of many profiles, and whom one call asks for.

import type { Random } from '../../../test/support/random.ts'
import { marketSpec, profileFields } from '../../../test/support/specs.ts'
import { type CrowdSize, MARKETS } from './crowd-size.ts'

const CONSONANTS = 'bcdfghjklmnpqrstvwxz'
const VOWELS = 'aeiou'
const SYLLABLES = CONSONANTS.length * VOWELS.length
const NAMES = SYLLABLES ** 3
/** It has no factor in common with the number of names, so no name comes twice. */
const STRIDE = 7919

function syllable(index: number): string {
  return CONSONANTS[Math.floor(index / VOWELS.length)] + VOWELS[index % VOWELS.length]
}

/** Names of three syllables, spread over the alphabet. */
export function nameOf(profileId: number): string {
  const place = (profileId * STRIDE) % NAMES
  const [high, middle] = [Math.floor(place / SYLLABLES ** 2), Math.floor(place / SYLLABLES)]
  return syllable(high) + syllable(middle % SYLLABLES) + syllable(place % SYLLABLES)
}

export const matchSlugOf = (match: number): string => `match-${match}`
export const accountOf = (profileId: number): string => profileFields(profileId).account

/** Picks what one call asks for. */
export interface Sample {
  readonly random: Random
  readonly size: CrowdSize
  /** Of some packs. */
  readonly packIds: readonly number[]
}

export const anyId = ({ random, size }: Sample): number => 1 + random.below(size.profiles)
export const anySlug = ({ random }: Sample): string => marketSpec(1 + random.below(MARKETS)).slug
