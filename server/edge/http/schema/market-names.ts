// Names of markets in paths. Any text is allowed: an unknown name is not found.
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { means } from './meaning.ts'
import { text } from './scalars.ts'

const name = () => text(LIMITS.slugCharactersMax, 1)

export function addressOrSlug() {
  return means(name(), 'Slug of the market, or address of the pool in any letter case.')
}

export function marketName() {
  return means(name(), 'Slug of the market: its name in paths and orders, which never changes.')
}
