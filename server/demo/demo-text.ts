// The content of a demo: markets on several topics, a group, a pool, two series and the pages that
// list them.

interface DemoQuestion {
  readonly slug: string
  readonly title: string
  readonly categories: readonly string[]
  readonly fee?: boolean
  readonly dailyRewardRaw?: number
  readonly rebateBps?: number
  readonly correlationKey?: string
}

/** A hundred units a day, and a quarter of the fees. */
const REWARDING = { dailyRewardRaw: 100_000_000, rebateBps: 2500 } as const
/** Pays the rewards of a month. */
export const FUNDS_RAW = {
  rewards: 6_000_000_000,
  /** The amount that the house may lose to packs. */
  house: 5_000_000_000,
} as const

function about(
  category: string,
  ...questions: readonly (readonly [slug: string, title: string, correlationKey?: string])[]
): DemoQuestion[] {
  return questions.map(([slug, title, correlationKey]) => {
    const tied = correlationKey === undefined ? {} : { correlationKey }
    return { slug, title, categories: [category], ...tied }
  })
}

/** The documents trade in the first four. */
export const MARKETS: readonly DemoQuestion[] = [
  {
    slug: 'rain-tomorrow',
    title: 'Will it rain in Lisbon tomorrow?',
    categories: ['Weather'],
    fee: true,
    ...REWARDING,
  },
  {
    slug: 'btc-above-100k',
    title: 'Will BTC close above $100,000 this week?',
    categories: ['Crypto'],
    fee: true,
    ...REWARDING,
    correlationKey: 'BTC',
  },
  ...about('Sports', ['home-team-wins', 'Will the home team win on Saturday?']),
  ...about('Economy', ['rates-cut-in-march', 'Will rates be cut in March?']),
  ...about(
    'Weather',
    ['snow-in-april', 'Will it snow in Vienna in April?'],
    ['hottest-summer', 'Will this summer be the hottest ever measured?'],
  ),
  ...about(
    'Crypto',
    ['eth-above-5k', 'Will ETH close above $5,000 this month?', 'ETH'],
    ['sol-beats-eth', 'Will Solana gain more than Ethereum this month?', 'ETH'],
    ['stablecoin-law', 'Will a stablecoin law pass this year?'],
  ),
  ...about(
    'Sports',
    ['derby-draw', 'Will the derby end in a draw?'],
    ['marathon-record', 'Will the marathon record fall this autumn?'],
    ['tennis-five-sets', 'Will the final go to five sets?'],
  ),
  ...about(
    'Esports',
    ['north-beats-south', 'Will North win the match against South?'],
    ['north-wins-map-one', 'Will North win the first map?'],
    ['three-maps', 'Will the match take three maps?'],
  ),
  ...about(
    'Economy',
    ['inflation-below-two', 'Will inflation be below 2% in June?'],
    ['oil-above-90', 'Will a barrel of oil cost more than $90 in July?'],
    ['gold-record', 'Will gold reach a new high this quarter?'],
  ),
  ...about(
    'Politics',
    ['early-election', 'Will there be an early election this year?'],
    ['turnout-above-70', 'Will turnout be above 70%?'],
    ['mayor-reelected', 'Will the mayor be elected again?'],
  ),
  ...about(
    'Science',
    ['moon-landing', 'Will people land on the moon before 2030?'],
    ['fusion-record', 'Will a fusion reactor set a new record this year?'],
  ),
  ...about(
    'Culture',
    ['film-of-the-year', 'Will an animated film win best picture?'],
    ['album-number-one', 'Will the new album stay number one for a month?'],
  ),
]

/** Resolved from the beginning: the first trader holds pairs of it and may redeem them. */
export const PAST = {
  slug: 'rain-yesterday',
  title: 'Did it rain in Lisbon yesterday?',
  categories: ['Weather'],
} as const

/** Traded against a pool, which the first bot funds. */
export const POOL = {
  slug: 'meteor-shower',
  title: 'Will the meteor shower be seen from Lisbon?',
  categories: ['Science'],
} as const

export const GROUP = {
  slug: 'cup-winner',
  title: 'Who wins the cup?',
  categories: ['Sports'],
  markets: [
    { slug: 'reds-win-the-cup', title: 'Do the Reds win the cup?', proxyTitle: 'Reds' },
    { slug: 'blues-win-the-cup', title: 'Do the Blues win the cup?', proxyTitle: 'Blues' },
    { slug: 'greens-win-the-cup', title: 'Do the Greens win the cup?', proxyTitle: 'Greens' },
    { slug: 'whites-win-the-cup', title: 'Do the Whites win the cup?', proxyTitle: 'Whites' },
  ],
} as const

export const SERIES = [
  {
    symbol: 'BTC',
    frequency: 'minutely',
    subFrequency: 'minutes_5',
    stableSlug: 'btc-5min-price',
    slugPrefix: 'btc-5m',
    assetName: 'Bitcoin',
    title: 'Bitcoin up or down',
    categories: ['Crypto'],
  },
  {
    symbol: 'ETH',
    frequency: 'hourly',
    subFrequency: 'hours_1',
    stableSlug: 'eth-hourly-price',
    slugPrefix: 'eth-1h',
    assetName: 'Ether',
    title: 'Ether up or down',
    categories: ['Crypto'],
  },
] as const

/** The starting price of each symbol's oracle. */
export const FIRST_PRICES: Readonly<Record<string, number>> = { BTC: 95_000, ETH: 3_400 }

interface DemoPage {
  readonly name: string
  readonly slug: string
  readonly icon: string
  readonly baseFilter: Readonly<Record<string, readonly string[]>>
  readonly filterGroups?: readonly object[]
  readonly children?: readonly DemoPage[]
}

function topic(name: string, icon: string, more: Partial<DemoPage> = {}): DemoPage {
  return { name, slug: name.toLowerCase(), icon, baseFilter: { category: [name] }, ...more }
}

const CRYPTO_KINDS = {
  name: 'Kind',
  slug: 'automationType',
  options: [
    { label: 'Questions', value: 'manual' },
    { label: 'Up or down', value: 'lumy' },
  ],
}
const SPORT_KINDS = {
  name: 'Kind',
  slug: 'tradeType',
  options: [
    { label: 'Single questions', value: 'clob' },
    { label: 'Groups', value: 'group' },
  ],
}

export const PAGES: readonly DemoPage[] = [
  topic('Crypto', '\u{1fa99}', {
    filterGroups: [CRYPTO_KINDS],
    children: [
      {
        name: 'Up or down',
        slug: 'up-or-down',
        icon: '\u{1f4c8}',
        baseFilter: { category: ['Crypto'], automationType: ['lumy'] },
      },
    ],
  }),
  topic('Sports', '\u{26bd}', {
    filterGroups: [SPORT_KINDS],
    children: [
      {
        name: 'Cups',
        slug: 'cups',
        icon: '\u{1f3c6}',
        baseFilter: { category: ['Sports'], tradeType: ['group'] },
      },
    ],
  }),
  topic('Esports', '\u{1f3ae}'),
  topic('Politics', '\u{1f5f3}'),
  topic('Economy', '\u{1f3e6}'),
  topic('Weather', '\u{1f327}'),
  topic('Science', '\u{1f52c}'),
  topic('Culture', '\u{1f3ac}'),
]
