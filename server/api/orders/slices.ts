// Large jobs are split over event-loop ticks, so that other work does not wait for all of it.

const ITEMS_PER_SLICE = 1000

/**
 * Calls `give` with a thousand items per event-loop tick and joins the results. The state may
 * change between two ticks, so `give` must not rely on one tick for all items.
 */
export async function inSlices<T, R>(
  items: readonly T[],
  give: (some: readonly T[]) => readonly R[],
): Promise<R[]> {
  const given: R[] = []
  for (let from = 0; from < items.length; from += ITEMS_PER_SLICE) {
    if (from > 0) await new Promise(setImmediate)
    for (const each of give(items.slice(from, from + ITEMS_PER_SLICE))) given.push(each)
  }
  return given
}
