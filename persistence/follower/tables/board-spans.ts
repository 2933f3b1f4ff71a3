// The spans of leaderboards in hours, including the current one. 0 = unlimited.

export const BOARD_SPANS = { '24h': 24, '7d': 168, '30d': 720, all: 0 } as const

export type BoardSpan = keyof typeof BOARD_SPANS
export type SpanHours = (typeof BOARD_SPANS)[BoardSpan]

/** How long the hours of each market and owner are retained. */
export const MARKET_SPAN_HOURS = BOARD_SPANS['24h']
