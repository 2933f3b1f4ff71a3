// API tokens of the visitor, by which programs trade. The secret of a new one is shown once, in a
// dialog, and is nowhere in the page after that.

import type { Context } from '../../context.ts'
import { call, read } from '../../exchange/api.ts'
import { ActForm, Field, typedIn } from '../../page/act-form.tsx'
import { Button, Table } from '../../page/blocks.tsx'
import { confirmAct, openDialog } from '../../page/dialog.tsx'
import { dayTime } from '../../page/format.ts'
import { useSignal } from '../../page/preact.ts'
import type { ApiToken, NewToken } from '../account-replies.ts'
import { notifyActed, Part } from '../part.tsx'

const LABEL_MAX = 64
const PATH = '/auth/api-tokens'
const MEANINGS: Readonly<Record<string, string>> = {
  trading: 'places and cancels orders, moves shares',
  account_creation: 'makes sub-accounts',
  delegated_signing: 'lets the exchange sign for sub-accounts',
  withdrawal: 'pays out to your own addresses',
}
const COLUMNS = ['Name', 'Scopes', 'Created', 'Last used', 'Action'] as const

async function readTokens(signal: AbortSignal) {
  const [tokens, { allowedScopes }] = await Promise.all([
    read<readonly ApiToken[]>(PATH, signal),
    read<{ allowedScopes: readonly string[] }>(`${PATH}/capabilities`, signal),
  ])
  return { tokens, allowedScopes }
}

export function Tokens({ context }: { readonly context: Context }) {
  return (
    <Part context={context} label="API tokens" read={readTokens}>
      {({ tokens, allowedScopes }) => (
        <>
          <p class="soft">Programs sign their calls with a token.</p>
          {tokens.length === 0 ? <p>No tokens.</p> : <List tokens={tokens} context={context} />}
          <Button label="Make token" onClick={() => openCreation(allowedScopes)} />
        </>
      )}
    </Part>
  )
}

interface ListProps {
  readonly tokens: readonly ApiToken[]
  readonly context: Context
}

function List({ tokens, context }: ListProps) {
  const rows = tokens.map((token) => {
    const { tokenId, label, scopes, createdAt, lastUsedAt } = token
    return {
      key: tokenId,
      cells: [
        <bdi>{label ?? 'Unnamed'}</bdi>,
        scopes.join(', '),
        dayTime(createdAt),
        lastUsedAt === null ? 'never' : dayTime(lastUsedAt),
        <Button
          label="Revoke"
          title={`Revoke ${label ?? tokenId}`}
          onClick={() => confirmRevocation(token, context)}
        />,
      ],
    }
  })
  return <Table label="API tokens" columns={COLUMNS} rows={rows} />
}

function confirmRevocation({ tokenId, label, lastUsedAt }: ApiToken, { notices }: Context): void {
  const used = lastUsedAt === null ? 'It was never used.' : `Last used ${dayTime(lastUsedAt)}.`
  confirmAct({
    title: 'Revoke this token?',
    about: (
      <>
        <p>
          <bdi class="strong">{label ?? tokenId}</bdi>
        </p>
        <p>{used} Programs that sign with it are refused from then on.</p>
      </>
    ),
    act: 'Revoke token',
    async run() {
      await call('DELETE', `${PATH}/${encodeURIComponent(tokenId)}`)
      notices.good('The token is revoked.')
      notifyActed()
    },
  })
}

function openCreation(allowedScopes: readonly string[]): void {
  const create = async (form: HTMLFormElement, close: () => void) => {
    const scopes = new FormData(form).getAll('scope')
    const label = typedIn(form, 'label')
    const body = { label: label === '' ? null : label, scopes }
    const made = await call<NewToken>('POST', `${PATH}/derive`, { body })
    close()
    openDialog('Your new token', (closeSecret) => <Secret token={made} close={closeSecret} />)
    notifyActed()
  }
  openDialog('Make a token', (close) => (
    <ActForm act="Make this token" cancel={close} run={(form) => create(form, close)}>
      <Field label="Name, for you alone" name="label" maxLength={LABEL_MAX} />
      <fieldset class="scopes">
        <legend>Scopes</legend>
        {allowedScopes.map((scope) => (
          <label key={scope} class="check">
            <input
              type="checkbox"
              name="scope"
              value={scope}
              defaultChecked={scope === 'trading'}
            />
            <span>
              {scope} <span class="soft">{MEANINGS[scope]}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </ActForm>
  ))
}

function Secret({
  token: { tokenId, secret },
  close,
}: {
  readonly token: NewToken
  readonly close: () => void
}) {
  const result = useSignal('')
  const copied = (text: string) => {
    result.value = text
  }
  return (
    <>
      <p>Copy the secret now. It is shown only once.</p>
      <CopyField label="Token id" value={tokenId} copied={copied} />
      <CopyField label="Secret" value={secret} copied={copied} />
      <p class="soft" role="status">
        {result.value}
      </p>
      <div class="row">
        <Button label="Done" class="main" onClick={close} />
      </div>
    </>
  )
}

interface CopyFieldProps {
  readonly label: string
  readonly value: string
  readonly copied: (result: string) => void
}

function CopyField({ label, value, copied }: CopyFieldProps) {
  const press = async ({ currentTarget }: { readonly currentTarget: HTMLButtonElement }) => {
    const input = currentTarget.parentElement?.querySelector('input')
    if (input) copied(await copy(input))
  }
  return (
    <div class="copy-field">
      <Field label={label} name="shown" value={value} readOnly spellcheck={false} />
      <Button label="Copy" aria-label={`Copy: ${label}`} onClick={press} />
    </div>
  )
}

/** Pages over plain HTTP have no clipboard: the text is selected then, for the keys of copying. */
async function copy(input: HTMLInputElement): Promise<string> {
  input.select()
  const clipboard: Clipboard | undefined = navigator.clipboard
  if (clipboard === undefined) return 'The text is selected: copy it with your keyboard.'
  try {
    await clipboard.writeText(input.value)
    return 'Copied.'
  } catch {
    return 'The browser did not allow it. The text is selected: copy it with your keyboard.'
  }
}
