// The profiles of a demo besides its three traders: two bots that keep the books full, and people
// who trade, follow each other and refer each other.

export interface Introduction {
  readonly username: string
  readonly displayName: string
  readonly bio: string
  /** On X; a demo accepts it as verified. */
  readonly handle: string
}

export interface DemoPerson extends Introduction {
  /** Who referred it: an earlier person, or a trader by its number. */
  readonly referrer: string | number
  /** Slugs of markets, each prefixed by its kind. */
  readonly bookmarks: readonly string[]
}

/** The initial names of the three traders, until a visitor changes them. */
export function introductionOf(trader: number): Introduction {
  return {
    username: `trader-${trader}`,
    displayName: `Trader ${trader}`,
    bio: 'A demo trader that anyone can try.',
    handle: `trader_${trader}`,
  }
}

/** By the names of the bots. */
export const MACHINES = {
  maker: { username: 'harbor-quotes', displayName: 'Harbor quotes', isMachine: true },
  taker: { username: 'harbor-flow', displayName: 'Harbor flow', isMachine: true },
} as const

export const PEOPLE: readonly DemoPerson[] = [
  {
    username: 'mira',
    displayName: 'Mira Keller',
    handle: 'mira_keller',
    referrer: 0,
    bio: 'Clouds first, then prices.',
    bookmarks: ['clob/rain-tomorrow', 'clob/snow-in-april'],
  },
  {
    username: 'theo.b',
    displayName: 'Theo Barros',
    handle: 'theobarros',
    referrer: 0,
    bio: 'Short summers, long coins.',
    bookmarks: ['clob/btc-above-100k', 'clob/eth-above-5k'],
  },
  {
    username: 'anouk',
    displayName: 'Anouk Visser',
    handle: 'anouk_v',
    referrer: 1,
    bio: 'Reds until the end.',
    bookmarks: ['negrisk/cup-winner', 'clob/derby-draw'],
  },
  {
    username: 'jonas-w',
    displayName: 'Jonas Weber',
    handle: 'jonasweber',
    referrer: 'mira',
    bio: 'Rates, oil and gold. Never on Fridays.',
    bookmarks: ['clob/rates-cut-in-march', 'clob/oil-above-90'],
  },
  {
    username: 'priya',
    displayName: 'Priya Nair',
    handle: 'priya_nair',
    referrer: 'mira',
    bio: 'Rockets and reactors.',
    bookmarks: ['clob/moon-landing', 'amm/meteor-shower'],
  },
  {
    username: 'marten',
    displayName: 'Marten Ilves',
    handle: 'marten_i',
    referrer: 'theo.b',
    bio: 'I watch every map.',
    bookmarks: ['clob/north-beats-south', 'clob/three-maps'],
  },
]
