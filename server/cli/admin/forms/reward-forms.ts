import { bare, type Form, post, wordAs } from '../admin-form.ts'
import { amount } from '../admin-kinds.ts'

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

export const REWARD_FORMS: Readonly<Record<string, Form>> = {
  'fund-rewards': funding('fund', 'rewards'),
  'drain-rewards': funding('drain', 'rewards'),
  rewards: showing('rewards'),
  'fund-house': funding('fund', 'house'),
  'drain-house': funding('drain', 'house'),
  house: showing('house'),
}
