// Whether two sides of a comparison differ by more than noise: the exact test of Mann and Whitney.
// Under the null hypothesis the passes of both sides come from one distribution, whatever its form.
// Then each way to deal the ranks out to the sides is equally likely. The chance is the part of
// these ways whose rank sum is at least as far from the middle as the observed sum. The test
// needs no normal distribution, and an outlier weighs no more than its rank.

/** How often an unchanged row may be called faster or slower, at most. */
export const FALSE_ALARM_MAX = 0.05

/** Twice the rank of each value, from the lowest; equal values share the mean of their ranks. */
function doubledRanks(values: readonly number[]): number[] {
  return values.map((value) => {
    const below = values.filter((each) => each < value).length
    const equal = values.filter((each) => each === value).length
    return 2 * below + equal + 1
  })
}

/** The number of ways in which `count` of the ranks have each sum. */
function waysBySum(ranks: readonly number[], count: number): Float64Array {
  const sums = ranks.reduce((sum, rank) => sum + rank, 0) + 1
  const ways = Array.from({ length: count + 1 }, () => new Float64Array(sums))
  ways[0][0] = 1
  let reached = 0
  for (const rank of ranks) {
    reached += rank
    // Goes from the highest count down, so that each rank is used once.
    for (let taken = count; taken > 0; taken--) {
      const [without, into] = [ways[taken - 1], ways[taken]]
      for (let sum = rank; sum <= reached; sum++) into[sum] += without[sum - rank]
    }
  }
  return ways[count]
}

/** How far twice the rank sum of `now` is from the middle. Positive when `now` is higher. */
function shiftOf(ranks: readonly number[], beforeCount: number): number {
  const nowCount = ranks.length - beforeCount
  const sum = ranks.slice(beforeCount).reduce((total, rank) => total + rank, 0)
  return sum - nowCount * (ranks.length + 1)
}

/** The chance of a shift at least as wide as that of the samples, when nothing changed. */
export function chanceOf(before: readonly number[], now: readonly number[]): number {
  const ranks = doubledRanks([...before, ...now])
  const seen = Math.abs(shiftOf(ranks, before.length))
  const middle = now.length * (ranks.length + 1)
  let all = 0
  let asWide = 0
  for (const [sum, ways] of waysBySum(ranks, now.length).entries()) {
    all += ways
    if (Math.abs(sum - middle) >= seen) asWide += ways
  }
  return asWide / all
}

/** 1 when `now` is higher beyond noise, -1 when it is lower, else 0. */
export function changeOf(before: readonly number[], now: readonly number[]): -1 | 0 | 1 {
  if (chanceOf(before, now) > FALSE_ALARM_MAX) return 0
  const ranks = doubledRanks([...before, ...now])
  return shiftOf(ranks, before.length) > 0 ? 1 : -1
}

/** Whether these numbers of passes can show any difference at all. */
export function canReport(beforeCount: number, nowCount: number): boolean {
  const before = Array.from({ length: beforeCount }, (_, index) => index)
  const now = Array.from({ length: nowCount }, (_, index) => beforeCount + index)
  return changeOf(before, now) !== 0
}
