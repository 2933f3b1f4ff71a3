import { bare, type Form, post, wordAs } from '../admin-form.ts'
import { amount, amountOrNone } from '../admin-kinds.ts'

// The forms of `outcomex admin` for the collateral that pays rewards, and for that which covers
// packs.

/** The form that puts the amount in (fund) or takes it out (drain). */
function funding(what: 'fund' | 'drain', whose: 'rewards' | 'house'): Form {
  return {
    use: `admin ${what}-${whose} AMOUNT`,
    flags: [],
    words: 1,
    fields: { collateralRaw: 'AMOUNT' },
    call([units]) {
      const amountRaw = wordAs(amount, units)
      return post(`/admin/${whose}`, {
        collateralRaw: what === 'fund' ? amountRaw : -amountRaw,
      })
    },
  }
}

function showing(whose: 'rewards' | 'house'): Form {
  return {
    use: `admin ${whose}`,
    flags: [],
    words: 0,
    fields: {},
    call: () => bare('GET', `/admin/${whose}`),
  }
}

/** Null for the default of the exchange. */
const amountOrDefault = {
  wants: `${amountOrNone.wants}, or default`,
  read: (text: string) => (text === 'default' ? null : amountOrNone.read(text)),
}

const dayLoss: Form = {
  use: 'admin house-day-loss AMOUNT (or default)',
  flags: [],
  words: 1,
  fields: { dayLossMaxRaw: 'AMOUNT' },
  call: ([units]) => post('/admin/house', { dayLossMaxRaw: wordAs(amountOrDefault, units) }),
}

export const REWARD_FORMS: Readonly<Record<string, Form>> = {
  'fund-rewards': funding('fund', 'rewards'),
  'drain-rewards': funding('drain', 'rewards'),
  rewards: showing('rewards'),
  'fund-house': funding('fund', 'house'),
  'drain-house': funding('drain', 'house'),
  'house-day-loss': dayLoss,
  house: showing('house'),
}
