// Profiles: found by number, account or username, then frozen, cut off or paid.

import type { ProfileId } from '../../../../engine/domain/ids.ts'
import { ActForm, Field, typedIn } from '../../page/act-form.tsx'
import { Button, Region, Table } from '../../page/blocks.tsx'
import { shortAddress, visible } from '../../page/format.ts'
import { signal, useMemo } from '../../page/preact.ts'
import { PagedList, usePages } from '../../page/reading.tsx'
import type { OperatorContext } from '../access.ts'
import type { FoundProfile, ProfilePage } from '../operator-replies.ts'
import { type HeldBalance, ProfileCard } from './profile-card.tsx'

const PROFILES_A_PAGE = 50
const ACCOUNT = /^0x[0-9a-f]{40}$/i
const NUMBER = /^\d{1,10}$/
const COLUMNS = [
  { number: 'Number' },
  'Username',
  'Account',
  'Rank',
  'Fee cap',
  'State',
  'Action',
] as const

/** The profile whose card is shown. */
class OpenProfile {
  readonly card = signal<{ profile: FoundProfile; balance: HeldBalance } | null>(null)
  readonly #context: OperatorContext
  #searches = 0

  constructor(context: OperatorContext) {
    this.#context = context
  }

  /** The card goes first: its buttons must not act on a profile that is not wanted any more. */
  async show(find: () => Promise<ProfileId>): Promise<void> {
    const { access } = this.#context
    const search = ++this.#searches
    this.card.value = null
    const profileId = await find()
    const profile = await access.call<FoundProfile>('GET', `/admin/profiles/${profileId}`)
    const balance = await access.call<HeldBalance>('GET', `/admin/balances/${profileId}`)
    if (search === this.#searches) this.card.value = { profile, balance }
  }
}

export function ProfilesView({ context }: { readonly context: OperatorContext }) {
  const open = useMemo(() => new OpenProfile(context), [])
  const pages = usePages<number, ProfilePage['profiles']>(async (cursor, signal) => {
    const query = `after=${cursor ?? 0}&limit=${PROFILES_A_PAGE}`
    const path = `/admin/profiles?${query}`
    const { profiles, next } = await context.access.call<ProfilePage>('GET', path, { signal })
    return { reply: profiles, next }
  })
  const show = (profileId: ProfileId) => open.show(async () => profileId)
  const card = open.card.value
  return (
    <div class="view operator">
      <h1>Profiles</h1>
      <Region label="Find a profile">
        <ActForm act="Find" run={(form) => open.show(() => idOf(typedIn(form, 'wanted'), context))}>
          <Field label="Number, account or @username" name="wanted" required />
        </ActForm>
      </Region>
      <div aria-live="polite">
        {card !== null && (
          <ProfileCard
            {...card}
            context={context}
            again={async () => {
              pages.again()
              await show(card.profile.profileId)
            }}
          />
        )}
      </div>
      <Region label="All profiles">
        <PagedList pages={pages}>
          {(profiles) => (
            <Profiles
              profiles={profiles}
              open={(profileId) =>
                show(profileId).catch((error: unknown) => context.notices.failure(error))
              }
            />
          )}
        </PagedList>
      </Region>
    </div>
  )
}

/** A username may be a number, so `@` in front of it says that it is one. */
async function idOf(wanted: string, { access }: OperatorContext): Promise<ProfileId> {
  if (NUMBER.test(wanted)) return Number(wanted)
  const name = encodeURIComponent(wanted.replace(/^@/, ''))
  const query = ACCOUNT.test(wanted) ? `account=${wanted}` : `username=${name}`
  const { profiles } = await access.call<ProfilePage>('GET', `/admin/profiles?${query}`)
  const [found] = profiles
  if (found === undefined) throw new Error('No profile has this account or username.')
  return found.profileId
}

interface ProfilesProps extends Pick<ProfilePage, 'profiles'> {
  readonly open: (profileId: ProfileId) => unknown
}

function Profiles({ profiles, open }: ProfilesProps) {
  const rows = profiles.map(({ profileId, account, username, rank, feeCapBps, isFrozen }) => ({
    key: profileId,
    cells: [
      profileId,
      <bdi>{visible(username ?? '–')}</bdi>,
      <span title={account}>{shortAddress(account)}</span>,
      rank ?? '–',
      feeCapBps === null ? '–' : `${feeCapBps} bps`,
      isFrozen ? <span class="sell">frozen</span> : 'active',
      <Button
        label="Open"
        class="small"
        aria-label={`Open profile ${profileId}`}
        onClick={() => open(profileId)}
      />,
    ],
  }))
  return <Table label="Profiles" columns={COLUMNS} rows={rows} />
}
