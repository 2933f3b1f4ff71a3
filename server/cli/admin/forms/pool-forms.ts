import { type Kind, readSetting } from '../../../settings/flags.ts'
import { optional } from '../../../settings/kinds.ts'
import { type Form, own, post, wordAs } from '../admin-form.ts'
import { amount, PROFILE_ID } from '../admin-kinds.ts'

// The forms of `outcomex admin` for the providers of pools.

/** Parts of YES and of NO that an empty pool keeps. */
const hints: Kind<readonly [number, number]> = {
  shape: 'A:B',
  wants: 'two parts like 300:700, each above 0',
  read(text) {
    const parts = /^([1-9]\d{0,8}):([1-9]\d{0,8})$/.exec(text)
    return parts === null ? undefined : [Number(parts[1]), Number(parts[2])]
  },
}

const HINTS = own('hints', optional(hints), undefined, 'fund-pool: parts of YES and NO to keep.')
const LIQUIDITY = own(
  'liquidity',
  optional(amount),
  undefined,
  'drain-pool: the part to take; else all.',
)

const poolPath = (slug: string, act = '') =>
  `/admin/markets/${encodeURIComponent(slug)}/liquidity${act}`

export const POOL_FORMS: Readonly<Record<string, Form>> = {
  'fund-pool': {
    use: `admin fund-pool SLUG PROFILE_ID AMOUNT [--hints ${hints.shape}]`,
    flags: [HINTS],
    words: 3,
    fields: {
      slug: 'SLUG',
      profileId: 'PROFILE_ID',
      collateralRaw: 'AMOUNT',
      hints: '--hints',
    },
    call([slug, id, units], given) {
      const profileId = wordAs(PROFILE_ID, id)
      const collateralRaw = wordAs(amount, units)
      const parts = readSetting(HINTS, given)
      return post(poolPath(slug), {
        profileId,
        collateralRaw,
        ...(parts === undefined ? {} : { hints: parts }),
      })
    },
  },
  'drain-pool': {
    use: 'admin drain-pool SLUG PROFILE_ID [--liquidity AMOUNT]',
    flags: [LIQUIDITY],
    words: 2,
    fields: { slug: 'SLUG', profileId: 'PROFILE_ID', liquidityRaw: '--liquidity' },
    call([slug, id], given) {
      const profileId = wordAs(PROFILE_ID, id)
      const liquidityRaw = readSetting(LIQUIDITY, given)
      return post(poolPath(slug, '/remove'), {
        profileId,
        ...(liquidityRaw === undefined ? {} : { liquidityRaw }),
      })
    },
  },
}
