// Work that is wide is done in turns of the loop, so that nobody else waits for all of it.

const ITEMS_PER_TURN = 1000

/** What `give` makes of the items, a thousand a turn. Nothing may rest on one turn for all. */
export async function inTurns<T, R>(
  items: readonly T[],
  give: (some: readonly T[]) => readonly R[],
): Promise<R[]> {
  const given: R[] = []
  for (let from = 0; from < items.length; from += ITEMS_PER_TURN) {
    if (from > 0) await new Promise(setImmediate)
    for (const each of give(items.slice(from, from + ITEMS_PER_TURN))) given.push(each)
  }
  return given
}
