import { bare, type Form, post, wordAs } from './admin-form.ts'
import { amount } from './admin-kinds.ts'

// The forms of `outcomex admin` for the collateral that pays rewards.

/** The form that puts the amount in (fund) or takes it out (drain). */
function funding(what: 'fund-rewards' | 'drain-rewards'): Form {
  return {
    use: `admin ${what} AMOUNT`,
    flags: [],
    words: 1,
    fields: { collateralRaw: 'AMOUNT' },
    call([units]) {
      const amountRaw = wordAs(amount, units)
      return post('/admin/rewards', {
        collateralRaw: what === 'fund-rewards' ? amountRaw : -amountRaw,
      })
    },
  }
}

export const REWARD_FORMS: Readonly<Record<string, Form>> = {
  'fund-rewards': funding('fund-rewards'),
  'drain-rewards': funding('drain-rewards'),
  rewards: {
    use: 'admin rewards',
    flags: [],
    words: 0,
    fields: {},
    call: () => bare('GET', '/admin/rewards'),
  },
}
