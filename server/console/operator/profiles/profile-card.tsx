// One profile, and what an operator does to it.

import { ActForm, Field, typedIn } from '../../page/act-form.tsx'
import { Button, Metadata, Region } from '../../page/blocks.tsx'
import { confirmAct, openDialog } from '../../page/dialog.tsx'
import { dayTime, dollars, visible } from '../../page/format.ts'
import { type ComponentChildren, useLayoutEffect, useRef } from '../../page/preact.ts'
import type { OperatorContext } from '../access.ts'
import { signedRaw } from '../form-body.ts'
import type { FoundProfile } from '../operator-replies.ts'

export interface HeldBalance {
  readonly freeRaw: number
  readonly reservedRaw: number
}

type Again = () => Promise<unknown>

const REASON_MAX = 200

interface ProfileCardProps {
  readonly profile: FoundProfile
  readonly balance: HeldBalance
  readonly context: OperatorContext
  readonly again: Again
}

export function ProfileCard({ profile, balance, context, again }: ProfileCardProps) {
  const top = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => top.current?.scrollIntoView({ block: 'nearest' }), [])
  return (
    <div ref={top}>
      <Region label={`Profile ${profile.profileId}`}>
        <Metadata look="metadata" metadata={metadataOf(profile, balance)} />
        <div class="row">
          <Button
            label={profile.frozenAt === null ? 'Freeze' : 'Unfreeze'}
            onClick={() => confirmFreeze(profile, context, again)}
          />
          <Button
            label="Revoke tokens"
            onClick={() => confirmCut(profile, 'tokens', context, again)}
          />
          <Button
            label="End sessions"
            onClick={() => confirmCut(profile, 'sessions', context, again)}
          />
          <Button label="Credit or debit" onClick={() => openAmount(profile, context, again)} />
        </div>
      </Region>
    </div>
  )
}

type Item = readonly [label: string, value: ComponentChildren]

function metadataOf(profile: FoundProfile, balance: HeldBalance): readonly Item[] {
  const { account, username, displayName, rank, scopes, createdAt, frozenAt } = profile
  const fee = profile.effectiveFeeRateBps
  const frozen = frozenAt === null ? 'no' : `since ${dayTime(frozenAt)}`
  const metadata: readonly Item[] = [
    ['Account', <code>{account}</code>],
    ['Username', <bdi>{visible(username ?? '–')}</bdi>],
    ['Shown as', <bdi>{visible(displayName)}</bdi>],
    ['Rank', rank?.name ?? '–'],
    ['Fee rate', fee === null ? '–' : `${fee} bps`],
    ['Scopes', scopes.join(', ')],
    ['Since', dayTime(createdAt)],
    ['Frozen', <span class={frozenAt === null ? undefined : 'sell'}>{frozen}</span>],
    ['Reason', profile.frozenReason && <bdi>{visible(profile.frozenReason)}</bdi>],
    ['Free', dollars(balance.freeRaw)],
    ['Reserved', dollars(balance.reservedRaw)],
  ]
  return metadata.filter(([, value]) => value !== null && value !== '')
}

function Whose({ profile }: { readonly profile: FoundProfile }) {
  const { profileId, account, displayName } = profile
  return (
    <p class="named">
      {displayName !== account && <bdi class="strong">{visible(displayName)}</bdi>}
      <code>{account}</code>
      <span>No. {profileId}</span>
    </p>
  )
}

function confirmFreeze(
  profile: FoundProfile,
  { access, notices }: OperatorContext,
  again: Again,
): void {
  const isFrozen = profile.frozenAt !== null
  const what = isFrozen
    ? 'It trades and withdraws again. Its canceled orders stay canceled.'
    : 'Its orders end, and it neither trades nor withdraws until it is unfrozen.'
  confirmAct({
    title: isFrozen ? 'Unfreeze this profile?' : 'Freeze this profile?',
    about: (
      <>
        <Whose profile={profile} />
        <p>{what}</p>
        <Field label="Reason, for the audit" name="reason" maxLength={REASON_MAX} />
      </>
    ),
    act: isFrozen ? 'Unfreeze profile' : 'Freeze profile',
    async run(form) {
      const path = `/admin/profiles/${profile.profileId}/${isFrozen ? 'unfreeze' : 'freeze'}`
      await access.call('POST', path, { body: { reason: typedIn(form, 'reason') } })
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

function confirmCut(
  profile: FoundProfile,
  cut: keyof typeof CUTS,
  { access, notices }: OperatorContext,
  again: Again,
): void {
  const { title, what, act, done } = CUTS[cut]
  confirmAct({
    title,
    about: (
      <>
        <Whose profile={profile} />
        <p>{what}</p>
      </>
    ),
    act,
    async run() {
      await access.call('DELETE', `/admin/profiles/${profile.profileId}/${cut}`)
      notices.good(done)
      await again()
    },
  })
}

function openAmount(profile: FoundProfile, context: OperatorContext, again: Again): void {
  const proceed = async (form: HTMLFormElement, close: () => void) => {
    const raw = signedRaw(typedIn(form, 'amount'))
    close()
    confirmAmount(profile, raw, context, again)
  }
  openDialog('Credit or debit', (close) => (
    <ActForm act="Continue" cancel={close} run={(form) => proceed(form, close)}>
      <Whose profile={profile} />
      <Field
        label="Amount in collateral"
        name="amount"
        required
        placeholder="100 to credit, -100 to debit"
      />
    </ActForm>
  ))
}

function confirmAmount(
  profile: FoundProfile,
  collateralRaw: number,
  { access, notices }: OperatorContext,
  again: Again,
): void {
  const { profileId } = profile
  const size = dollars(Math.abs(collateralRaw))
  const isCredit = collateralRaw > 0
  const sentence = `${size} ${isCredit ? 'are credited' : 'are debited'}.`
  confirmAct({
    title: isCredit ? 'Credit this profile?' : 'Debit this profile?',
    about: (
      <>
        <Whose profile={profile} />
        <p class="outcome">{sentence}</p>
      </>
    ),
    act: `${isCredit ? 'Credit' : 'Debit'} ${size}`,
    typed: String(profileId),
    async run() {
      await access.call('POST', '/admin/balances', { body: { profileId, collateralRaw } })
      notices.good(sentence)
      await again()
    },
  })
}
