// By what the markets of `make bench-reads` are found: topics, tags, properties, words of titles.

/** What markets are filtered by, equally many values in a small exchange and in a large one. */
export const TOPICS = 20
export const TAGS = 50
export const PROPERTIES = 12
export const OPTIONS = 20
export const PAGES = { all: uuidOf(1), topic: uuidOf(2) } as const
export const ASSETS = [
  ...(['Bitcoin', 'Ethereum', 'Solana', 'Gold', 'Silver', 'Oil', 'the euro', 'the yen'] as const),
  ...(['Apple', 'Tesla', 'Nvidia', 'the Fed rate', 'inflation', 'unemployment'] as const),
  ...(['wheat', 'copper', 'natural gas', 'Dogecoin', 'Amazon', 'Microsoft'] as const),
] as const

export function uuidOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
}

export function optionOf(number: number): string {
  return `choice-${number % OPTIONS}`
}
