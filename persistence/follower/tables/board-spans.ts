// How far back a leaderboard looks, in hours: the current one and those before. 0 is for ever.

export const BOARD_SPANS = { '24h': 24, '7d': 168, '30d': 720, all: 0 } as const

export type BoardSpan = keyof typeof BOARD_SPANS
export type SpanHours = (typeof BOARD_SPANS)[BoardSpan]

/** The hours of each market and owner are kept so long. */
export const MARKET_SPAN_HOURS = BOARD_SPANS['24h']
