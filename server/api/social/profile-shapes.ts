// Public profiles (rules §12.2).

import type { FoundProfile } from '../../../persistence/query/read/social/found-profile.ts'
import { account, profileId, shownUsername, uint256Text } from '../../edge/http/schema/fields.ts'
import { boolean, integer, means, nullable, text } from '../../edge/http/schema/scalars.ts'
import { list, object } from '../../edge/http/schema/schema.ts'
import { nameToShow } from '../accounts/profile-fields.ts'
import { ACCOUNT } from '../examples.ts'

export const foundFields = () => ({
  id: profileId(),
  account: account(),
  username: shownUsername(),
  displayName: nameToShow(),
  pfpUrl: means(nullable(text()), 'Link to the picture of the profile; null without one.'),
  rankName: means(nullable(text()), 'Name of its rank; null without one.'),
  followersCount: means(integer(0), 'Number of profiles that follow this one.'),
  volume: means(uint256Text(), 'Raw collateral of all its trades in books.'),
  hasTraded: means(boolean(), 'True once an order of the profile has traded.'),
})

export const foundProfiles = () =>
  object({ data: means(list(object(foundFields())), 'The profiles found, best match first.') })

export function foundView({ profileId: id, volumeRaw, ...shown }: FoundProfile) {
  return { id, ...shown, volume: String(volumeRaw) }
}

export const FOUND_EXAMPLE = {
  id: 1,
  account: ACCOUNT,
  username: 'rainmaker',
  displayName: 'rainmaker',
  pfpUrl: null,
  rankName: 'Bronze',
  followersCount: 12,
  volume: '52000000',
  hasTraded: true,
}
