import type { Kind } from '../../../settings/flags.ts'
import { bare, type Form, post, wordAs } from '../admin-form.ts'

// The forms of `outcomex admin` for the packs that operators curate.

const SIDES: readonly string[] = ['yes', 'no']

const leg: Kind<{ readonly marketSlug: string; readonly outcomeIndex: number }> = {
  shape: 'MARKET=yes|no',
  wants: 'the slug of a market and the outcome that must win, like rain-tomorrow=yes',
  read(text) {
    const at = text.lastIndexOf('=')
    const [marketSlug, outcomeIndex] = [text.slice(0, at), SIDES.indexOf(text.slice(at + 1))]
    return at > 0 && outcomeIndex >= 0 ? { marketSlug, outcomeIndex } : undefined
  },
}

export const PACK_FORMS: Readonly<Record<string, Form>> = {
  packs: {
    use: 'admin packs',
    flags: [],
    words: 0,
    fields: {},
    call: () => bare('GET', '/admin/packs'),
  },
  pack: {
    use: 'admin pack "Name" MARKET=yes|no MARKET=yes|no...',
    flags: [],
    words: 3,
    more: true,
    fields: { name: 'the name', legs: 'MARKET=yes|no' },
    call: ([name, ...legs]) =>
      post('/admin/packs', { name, legs: legs.map((word) => wordAs(leg, word)) }),
  },
  'remove-pack': {
    use: 'admin remove-pack ID',
    flags: [],
    words: 1,
    fields: { id: 'ID' },
    call: ([id]) => bare('DELETE', `/admin/packs/${encodeURIComponent(id)}`),
  },
}
