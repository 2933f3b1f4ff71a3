/** Packs that the operator of a demo curates: the markets of a pack have different topics. */
const CURATED: readonly {
  readonly name: string
  readonly yes: readonly string[]
  readonly no: readonly string[]
}[] = [
  { name: 'Rain and a rate cut', yes: ['rain-tomorrow', 'rates-cut-in-march'], no: [] },
  { name: 'A summer of records', yes: ['hottest-summer', 'marathon-record'], no: [] },
  { name: 'News of the year', yes: ['moon-landing', 'gold-record'], no: ['early-election'] },
]

/** The bodies that list the packs whose markets are all open. */
export function curatedBodies(open: ReadonlySet<string>): object[] {
  return CURATED.flatMap(({ name, yes, no }) => {
    // Operators may have resolved a market since an earlier start.
    if (![...yes, ...no].every((slug) => open.has(slug))) return []
    const legsOf = (slugs: readonly string[], outcomeIndex: number) =>
      slugs.map((marketSlug) => ({ marketSlug, outcomeIndex }))
    return [{ name, legs: [...legsOf(yes, 0), ...legsOf(no, 1)] }]
  })
}
