// Looks for drift: fits lines through samples that should stay level, and says how sure they are.

export interface Sample {
  /** The process of the sample. Each process starts from its own level. */
  readonly group: number
  readonly x: number
  readonly y: number
}

export interface Slope {
  readonly perX: number
  /** Half the width of the 95% confidence interval; infinite when the samples are too few. */
  readonly within: number
}

/** Two-sided 95% of Student's t by degrees of freedom; 1.96 for many. */
const STUDENT = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23]

const meanOf = (values: readonly number[]) =>
  values.reduce((sum, each) => sum + each, 0) / values.length

/** Keeps the width finite. */
const CORRELATION_MAX = 0.95

/** Least squares with one slope for all groups and a level of its own for each group. */
export function slopeOf(samples: readonly Sample[]): Slope {
  const groups = new Map<number, Sample[]>()
  for (const sample of samples) {
    groups.set(sample.group, [...(groups.get(sample.group) ?? []), sample])
  }
  let squareX = 0
  let squareY = 0
  let product = 0
  for (const group of groups.values()) {
    const [meanX, meanY] = [meanOf(group.map(({ x }) => x)), meanOf(group.map(({ y }) => y))]
    for (const { x, y } of group) {
      squareX += (x - meanX) ** 2
      squareY += (y - meanY) ** 2
      product += (x - meanX) * (y - meanY)
    }
  }
  const free = samples.length - groups.size - 1
  const perX = squareX === 0 ? 0 : product / squareX
  if (free < 1 || squareX === 0) return { perX, within: Number.POSITIVE_INFINITY }
  const spread = Math.max(0, squareY - perX * product) / free
  const correlation = correlationOf([...groups.values()], perX)
  const fewer = Math.sqrt((1 + correlation) / (1 - correlation))
  return { perX, within: (STUDENT[free - 1] ?? 1.96) * Math.sqrt(spread / squareX) * fewer }
}

/**
 * How much of its distance from the line a sample inherits from the sample before it. Memory drifts
 * up and down for minutes, so neighbors repeat each other: n of them count as
 * n × (1 − correlation) / (1 + correlation) independent samples.
 */
function correlationOf(groups: readonly (readonly Sample[])[], perX: number): number {
  let count = 0
  let square = 0
  let product = 0
  for (const group of groups) {
    const [meanX, meanY] = [meanOf(group.map(({ x }) => x)), meanOf(group.map(({ y }) => y))]
    let before = 0
    count += group.length
    for (const { x, y } of group) {
      const distance = y - meanY - perX * (x - meanX)
      square += distance ** 2
      product += distance * before
      before = distance
    }
  }
  if (square === 0) return 0
  const found = product / square
  // An estimate from samples around a line that was fitted to them is too low by about this much.
  const missed = (1 + 4 * found) / count
  return Math.min(CORRELATION_MAX, Math.max(0, found + missed))
}

/** The samples of the second half of each group, which are in the order of time. */
export function secondHalfOf(samples: readonly Sample[]): Sample[] {
  const counts = new Map<number, number>()
  for (const { group } of samples) counts.set(group, (counts.get(group) ?? 0) + 1)
  const seen = new Map<number, number>()
  return samples.filter(({ group }) => {
    const before = seen.get(group) ?? 0
    seen.set(group, before + 1)
    return before >= (counts.get(group) ?? 0) / 2
  })
}

/** Means of the first and the last third. */
export function thirdsOf(values: readonly number[]): { first: number; last: number } {
  const size = Math.max(1, Math.floor(values.length / 3))
  return { first: meanOf(values.slice(0, size)), last: meanOf(values.slice(-size)) }
}
