// API tokens of the visitor, by which programs trade. The secret of a new one is shown once, in a
// dialog, and is nowhere in the page after that.

import type { Context } from '../../context.ts'
import { call, read } from '../../exchange/api.ts'
import { button, type Child, field, h, write } from '../../page/dom.ts'
import { actForm, typedIn } from '../../page/parts/act-form.ts'
import { reportActed } from '../../page/parts/acted.ts'
import { openDialog, secondLook } from '../../page/parts/dialog.ts'
import { KEY } from '../../page/parts/region.ts'
import { table } from '../../page/parts/table.ts'
import { dayTime } from '../../page/words.ts'
import type { ApiToken, NewToken } from '../account-replies.ts'
import { followedPart, type Part } from '../part.ts'

const LABEL_MAX = 64
const PATH = '/auth/api-tokens'
const MEANINGS: Readonly<Record<string, string>> = {
  trading: 'places and cancels orders, moves shares',
  account_creation: 'makes sub-accounts',
  delegated_signing: 'lets the exchange sign for sub-accounts',
  withdrawal: 'pays out to your own addresses',
}

interface Shown {
  readonly tokens: readonly ApiToken[]
  readonly allowedScopes: readonly string[]
}

async function readTokens(signal: AbortSignal): Promise<Shown> {
  const [tokens, { allowedScopes }] = await Promise.all([
    read<readonly ApiToken[]>(PATH, signal),
    read<{ allowedScopes: readonly string[] }>(`${PATH}/capabilities`, signal),
  ])
  return { tokens, allowedScopes }
}

export function tokensPart(context: Context): Part {
  return followedPart<Shown>(
    {
      label: 'API tokens',
      read: readTokens,
      show: ({ tokens, allowedScopes }) => [
        h('p', { class: 'soft' }, 'Programs sign their calls with a token. '),
        tokens.length === 0 ? h('p', {}, 'No tokens.') : tokenTable(tokens, context),
        button('Make token', () => askForToken(allowedScopes), { attrs: { [KEY]: 'make token' } }),
      ],
    },
    context,
  )
}

function tokenTable(tokens: readonly ApiToken[], context: Context): Child {
  const rows = tokens.map((token) => {
    const { tokenId, label, scopes, createdAt, lastUsedAt } = token
    return [
      h('bdi', {}, label ?? 'without a name'),
      scopes.join(', '),
      dayTime(createdAt),
      lastUsedAt === null ? 'never' : dayTime(lastUsedAt),
      button('Revoke', () => askToRevoke(token, context), {
        attrs: { [KEY]: `revoke ${tokenId}`, title: `Revoke ${label ?? tokenId}` },
      }),
    ]
  })
  const columns = ['Name', 'Scopes', 'Made', 'Last used', 'Act']
  return h('div', { class: 'table-box' }, table('API tokens', columns, rows))
}

function askToRevoke({ tokenId, label, lastUsedAt }: ApiToken, { notices }: Context): void {
  const used = lastUsedAt === null ? 'It was never used.' : `Last used ${dayTime(lastUsedAt)}.`
  secondLook({
    title: 'Revoke this token?',
    about: [
      h('p', {}, h('bdi', { class: 'strong' }, label ?? tokenId)),
      h('p', {}, `${used} Programs that sign with it are refused from then on.`),
    ],
    act: 'Revoke token',
    async run() {
      await call('DELETE', `${PATH}/${encodeURIComponent(tokenId)}`)
      notices.good('The token is revoked.')
      reportActed()
    },
  })
}

function scopeBoxes(allowed: readonly string[]): HTMLElement {
  const boxes = allowed.map((scope) =>
    h(
      'label',
      { class: 'check' },
      h('input', {
        attrs: { type: 'checkbox', name: 'scope', value: scope, checked: scope === 'trading' },
      }),
      h('span', {}, scope, ' ', h('span', { class: 'soft' }, MEANINGS[scope])),
    ),
  )
  return h('fieldset', { class: 'scopes' }, h('legend', {}, 'Scopes'), ...boxes)
}

function askForToken(allowedScopes: readonly string[]): void {
  const name = field('Name, for you alone', 'label', { maxlength: LABEL_MAX })
  const form = actForm(
    {
      act: 'Make this token',
      isMain: true,
      more: [button('Cancel', () => dialog.close())],
      async run(filled) {
        const scopes = new FormData(filled).getAll('scope')
        const label = typedIn(filled, 'label')
        const body = { label: label === '' ? null : label, scopes }
        const made = await call<NewToken>('POST', `${PATH}/derive`, { body })
        dialog.close()
        showSecret(made)
        reportActed()
      },
    },
    name.element,
    scopeBoxes(allowedScopes),
  )
  const dialog = openDialog('Make a token', form)
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

function copyField(label: string, value: string, notice: HTMLElement): HTMLElement {
  const { element, input } = field(label, 'shown', { readonly: true, spellcheck: 'false' })
  input.value = value
  const act = button('Copy', async () => write(notice, await copy(input)), {
    attrs: { 'aria-label': `Copy: ${label}` },
  })
  return h('div', { class: 'copy-field' }, element, act)
}

function showSecret({ tokenId, secret }: NewToken): void {
  const notice = h('p', { class: 'soft', attrs: { role: 'status' } })
  const dialog = openDialog(
    'Your new token',
    h('p', {}, 'Keep the secret now: it is shown this once.'),
    copyField('Token id', tokenId, notice),
    copyField('Secret', secret, notice),
    notice,
    h(
      'div',
      { class: 'row' },
      button('I have kept it', () => dialog.close(), { class: 'main' }),
    ),
  )
  dialog.element.classList.add('secret')
}
