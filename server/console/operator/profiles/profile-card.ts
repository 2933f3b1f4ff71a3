// One profile, and what an operator does to it.

import { button, type Child, field, h } from '../../page/dom.ts'
import { actForm, typedIn } from '../../page/parts/act-form.ts'
import { openDialog, secondLook } from '../../page/parts/dialog.ts'
import { region } from '../../page/parts/region.ts'
import { visible } from '../../page/visible.ts'
import { dayTime, dollars } from '../../page/words.ts'
import { signedRaw } from '../form-body.ts'
import type { OperatorContext } from '../operator-context.ts'
import type { FoundProfile } from '../operator-replies.ts'

interface HeldBalance {
  readonly freeRaw: number
  readonly reservedRaw: number
}

type Again = () => Promise<unknown>

const REASON_MAX = 200

function metadata(
  profile: FoundProfile,
  balance: HeldBalance,
): readonly (readonly [string, Child])[] {
  const { account, username, displayName, rank, scopes, createdAt, frozenAt } = profile
  const fee = profile.effectiveFeeRateBps
  const frozen = frozenAt === null ? 'no' : `since ${dayTime(frozenAt)}`
  return [
    ['Account', h('code', {}, account)],
    ['Username', h('bdi', {}, visible(username ?? '–'))],
    ['Shown as', h('bdi', {}, visible(displayName))],
    ['Rank', rank?.name ?? '–'],
    ['Fee rate', fee === null ? '–' : `${fee} bps`],
    ['Scopes', scopes.join(', ')],
    ['Since', dayTime(createdAt)],
    ['Frozen', h('span', { class: frozenAt === null ? '' : 'sell' }, frozen)],
    ['Reason', profile.frozenReason && h('bdi', {}, visible(profile.frozenReason))],
    ['Free', dollars(balance.freeRaw)],
    ['Reserved', dollars(balance.reservedRaw)],
  ]
}

export async function profileCard(
  profile: FoundProfile,
  context: OperatorContext,
  again: Again,
): Promise<HTMLElement> {
  const { profileId, frozenAt } = profile
  const balance = await context.access.call<HeldBalance>('GET', `/admin/balances/${profileId}`)
  const rows = metadata(profile, balance).filter(([, value]) => value !== null && value !== '')
  const pairs = rows.flatMap(([label, value]) => [h('dt', {}, label), h('dd', {}, value)])
  const isFrozen = frozenAt !== null
  return region(
    `Profile ${profileId}`,
    h('dl', { class: 'facts' }, ...pairs),
    h(
      'div',
      { class: 'row' },
      button(isFrozen ? 'Unfreeze' : 'Freeze', () => askToFreeze(profile, context, again)),
      button('Revoke tokens', () => askToCut(profile, 'tokens', context, again)),
      button('End sessions', () => askToCut(profile, 'sessions', context, again)),
      button('Credit or debit', () => askForAmount(profile, context, again)),
    ),
  )
}

function whose({ profileId, account, displayName }: FoundProfile): HTMLElement {
  const name = displayName === account ? null : h('bdi', { class: 'strong' }, visible(displayName))
  return h('p', { class: 'named' }, name, h('code', {}, account), h('span', {}, `No. ${profileId}`))
}

function askToFreeze(
  profile: FoundProfile,
  { access, notices }: OperatorContext,
  again: Again,
): void {
  const isFrozen = profile.frozenAt !== null
  const reason = field('Reason, for the audit', 'reason', { maxlength: REASON_MAX })
  const what = isFrozen
    ? 'It trades and withdraws again. Its canceled orders stay canceled.'
    : 'Its orders end, and it neither trades nor withdraws until it is unfrozen.'
  secondLook({
    title: isFrozen ? 'Unfreeze this profile?' : 'Freeze this profile?',
    about: [whose(profile), h('p', {}, what), reason.element],
    act: isFrozen ? 'Unfreeze profile' : 'Freeze profile',
    async run() {
      const path = `/admin/profiles/${profile.profileId}/${isFrozen ? 'unfreeze' : 'freeze'}`
      await access.call('POST', path, { body: { reason: reason.input.value.trim() } })
      notices.good(isFrozen ? 'The profile is unfrozen.' : 'The profile is frozen.')
      await again()
    },
  })
}

const CUTS = {
  tokens: {
    title: 'Revoke all of its API tokens?',
    what: 'Programs that sign with them are refused from then on.',
    act: 'Revoke all tokens',
    done: 'All of its tokens are revoked.',
  },
  sessions: {
    title: 'End all of its sessions?',
    what: 'Its browsers are logged out; its wallet may log in again.',
    act: 'End all sessions',
    done: 'All of its sessions are over.',
  },
} as const

function askToCut(
  profile: FoundProfile,
  cut: keyof typeof CUTS,
  { access, notices }: OperatorContext,
  again: Again,
): void {
  const { title, what, act, done } = CUTS[cut]
  secondLook({
    title,
    about: [whose(profile), h('p', {}, what)],
    act,
    async run() {
      await access.call('DELETE', `/admin/profiles/${profile.profileId}/${cut}`)
      notices.good(done)
      await again()
    },
  })
}

function askForAmount(profile: FoundProfile, context: OperatorContext, again: Again): void {
  const amount = field('Amount in collateral', 'amount', {
    required: true,
    placeholder: '100 to credit, -100 to debit',
  })
  const form = actForm(
    {
      act: 'Go on',
      isMain: true,
      more: [button('Cancel', () => dialog.close())],
      async run(filled) {
        const raw = signedRaw(typedIn(filled, 'amount'))
        dialog.close()
        lookAgain(profile, raw, context, again)
      },
    },
    whose(profile),
    amount.element,
  )
  const dialog = openDialog('Credit or debit', form)
}

function lookAgain(
  profile: FoundProfile,
  collateralRaw: number,
  { access, notices }: OperatorContext,
  again: Again,
): void {
  const { profileId } = profile
  const size = dollars(Math.abs(collateralRaw))
  const sentence = collateralRaw > 0 ? `${size} are credited.` : `${size} are debited.`
  secondLook({
    title: collateralRaw > 0 ? 'Credit this profile?' : 'Debit this profile?',
    about: [whose(profile), h('p', { class: 'outcome' }, sentence)],
    act: collateralRaw > 0 ? `Credit ${size}` : `Debit ${size}`,
    typed: String(profileId),
    async run() {
      const body = { profileId, collateralRaw }
      await access.call('POST', '/admin/balances', { body })
      notices.good(sentence)
      await again()
    },
  })
}
