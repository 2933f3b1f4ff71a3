// Fields and texts that several calls of operators share.

import { LIMITS } from '../../../engine/domain/limits.ts'
import { means } from '../../edge/http/schema/meaning.ts'
import { firstShown } from '../../edge/http/schema/printed.ts'
import { defaulted, integer, nullable, pattern } from '../../edge/http/schema/scalars.ts'
import { optional } from '../../edge/http/schema/schema.ts'
import { line } from '../../edge/http/schema/visible-text.ts'
import { RANK_PATTERN } from '../accounts/ranks.ts'

export const RESERVED = 'Raw collateral that open orders reserve.'

export function freeRaw() {
  return means(integer(), 'Raw collateral that no order reserves; 1,000,000 are one unit.')
}

export function givenUsername() {
  return means(
    optional(nullable(line(LIMITS.usernameCharactersMax, 1))),
    'Name that no other profile has; null takes it back, absent leaves it.',
  )
}

/** A rank by its name or its number, or none. */
export function rankRequest() {
  return means(
    optional(nullable(firstShown(pattern(RANK_PATTERN, 'Name of a rank.'), integer(1, 5)))),
    'Rank by its name or number, 1 Bronze to 5 Diamond; null takes it back, absent leaves it.',
  )
}

/** The query of a list that is read by rising ids. */
export function paging() {
  return {
    after: means(defaulted(integer(0), 0), 'Ids above this one are listed; 0 for the first page.'),
    limit: means(defaulted(integer(1, LIMITS.adminListLimitMax), 50), 'Most entries on a page.'),
  }
}

export function next() {
  return means(nullable(integer(1)), 'Value of after for the next page; null when no page follows.')
}
