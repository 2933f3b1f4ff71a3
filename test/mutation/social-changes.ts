import type { FileChanges } from './mutation.ts'

// Profiles for others: follows, bookmarks, searches, and what stays private.

const STATE = ['test/engine/core/social/social.test.ts']
const FOUND = ['test/persistence/query/search-profiles.test.ts']
const BOOKMARKS = ['test/server/api/social/bookmarks.test.ts']

export const SOCIAL_CHANGES: readonly FileChanges[] = [
  {
    file: 'engine/core/decide/social.ts',
    tests: STATE,
    changes: [
      ['a profile follows itself', 'followedId === profileId', 'false'],
      [
        'a profile follows without a limit',
        'return bound === null ? null : REJECT.FOLLOW_LIMIT',
        'return null',
      ],
      [
        'a profile bookmarks without a limit',
        'return bound === null ? null : REJECT.BOOKMARK_LIMIT',
        'return null',
      ],
    ],
  },
  {
    file: 'engine/core/social/follows.ts',
    tests: STATE,
    changes: [
      [
        'who comes first is part of the state',
        'Uint32Array.from(this.#lists.keys()).sort()',
        'this.#lists.keys()',
      ],
      [
        'followers are not counted after a start',
        'for (const id of ids) this',
        'for (const id of []) this',
      ],
      [
        'an empty list stays',
        'if (list.count === 0) this.#lists.delete(profileId)',
        'if (list.count < 0) return',
      ],
    ],
  },
  {
    file: 'engine/core/social/bookmarks.ts',
    tests: STATE,
    changes: [
      [
        'the visibility of bookmarks is not hashed',
        "yield ['bookmarks shown', shown.length]\n    yield u32Bytes(shown)",
        '',
      ],
      [
        'cleared bookmarks are counted',
        'this.owners.add(profileId, -this.owners.of(profileId))',
        '',
      ],
    ],
  },
  {
    file: 'persistence/follower/tables/social/standings.ts',
    tests: FOUND,
    changes: [
      [
        'rows of an older standing stay',
        'this.#dropPrefix.run(...row))\n      this.#eachPrefix(profileId, after, 0',
        '{})\n      this.#eachPrefix(profileId, after, 0',
      ],
      ['a new volume moves nobody', 'shownRaw: before.volumeRaw', 'shownRaw: before.shownRaw'],
      ['machines are people', '[profileId, isMachine ? 1 : 0]', '[profileId, 0]'],
      ['a machine is one for ever', '(profileId, isMachine ? 1 : 0)', '(profileId, 1)'],
    ],
  },
  {
    file: 'persistence/query/read/social/search-profiles.ts',
    tests: FOUND,
    changes: [
      ['handles never come first', 'const first = isHandle ? 1 : 0', 'const first = 0'],
      ['a handle finds wallets', 'isHandle ? null : walletIn(wanted)', 'walletIn(wanted)'],
      ['names found twice fill the page', '1 - first, 2 * limit', '1 - first, limit - found.size'],
    ],
  },
  {
    file: 'server/api/social/bookmarks.ts',
    tests: BOOKMARKS,
    changes: [
      ['private bookmarks are shown', '!social.bookmarks.isShown(profileId)', 'profileId === 0'],
    ],
  },
  {
    file: 'server/api/social/services.ts',
    tests: BOOKMARKS,
    changes: [
      [
        'a bookmark is put twice',
        'if (bookmarks.find(profileId, marketId) !== undefined) return null',
        '',
      ],
    ],
  },
]
