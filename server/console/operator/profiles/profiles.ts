// Profiles: found by number, account or username, then frozen, cut off or paid.

import type { ProfileId } from '../../../../engine/domain/ids.ts'
import { button, type Child, field, fill, h } from '../../page/dom.ts'
import { actForm, typedIn } from '../../page/parts/act-form.ts'
import { type PagedList, pagedList } from '../../page/parts/paged-list.ts'
import { KEY, region } from '../../page/parts/region.ts'
import { table } from '../../page/parts/table.ts'
import type { View } from '../../page/view.ts'
import { visible } from '../../page/visible.ts'
import { shortAddress } from '../../page/words.ts'
import type { OperatorContext } from '../operator-context.ts'
import type { FoundProfile, ProfilePage } from '../operator-replies.ts'
import { profileCard } from './profile-card.ts'

const PROFILES_A_PAGE = 50
const ACCOUNT = /^0x[0-9a-f]{40}$/i
const NUMBER = /^\d{1,10}$/

export function profilesView(context: OperatorContext): View {
  const { access } = context
  const card = h('div', { attrs: { 'aria-live': 'polite' } })
  let searches = 0
  /** The card goes first: its buttons must not act on a profile that is not asked for any more. */
  const show = async (find: () => Promise<ProfileId>) => {
    searches++
    const search = searches
    fill(card)
    const profileId = await find()
    const profile = await access.call<FoundProfile>('GET', `/admin/profiles/${profileId}`)
    const found = await profileCard(profile, context, async () => {
      list.again()
      await show(async () => profileId)
    })
    if (search === searches) fill(card, found)
  }
  const list: PagedList = pagedList<number>(async (cursor, signal) => {
    const query = `after=${cursor ?? 0}&limit=${PROFILES_A_PAGE}`
    const page = await access.call<ProfilePage>('GET', `/admin/profiles?${query}`, { signal })
    return { content: shown(page.profiles, (id) => openCard(id)), next: page.next }
  })
  const openCard = (profileId: ProfileId) => {
    show(async () => profileId).then(
      () => card.scrollIntoView({ block: 'nearest' }),
      (error: unknown) => context.notices.failure(error),
    )
  }
  const wanted = field('Number, account or @username', 'wanted', { required: true })
  const find = actForm(
    {
      act: 'Find',
      isMain: true,
      run: (form) => show(() => idOf(typedIn(form, 'wanted'), context)),
    },
    wanted.element,
  )
  const element = h(
    'div',
    { class: 'view operator' },
    h('h1', {}, 'Profiles'),
    region('Find a profile', find),
    card,
    region('All profiles', list.element),
  )
  return { title: 'Profiles', element, stop: () => list.stop() }
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

function shown(profiles: ProfilePage['profiles'], open: (profileId: ProfileId) => void): Child {
  const rows = profiles.map(({ profileId, account, username, ...rest }) => [
    profileId,
    h('bdi', {}, visible(username ?? '–')),
    h('span', { attrs: { title: account } }, shortAddress(account)),
    rest.rank ?? '–',
    rest.feeCapBps === null ? '–' : `${rest.feeCapBps} bps`,
    rest.isFrozen ? h('span', { class: 'sell' }, 'frozen') : 'active',
    button('Open', () => open(profileId), {
      class: 'small',
      attrs: { [KEY]: `open ${profileId}`, 'aria-label': `Open profile ${profileId}` },
    }),
  ])
  const columns = [{ number: 'Number' }, 'Username', 'Account', 'Rank', 'Fee cap', 'State', 'Act']
  return h('div', { class: 'table-box' }, table('Profiles', columns, rows))
}
