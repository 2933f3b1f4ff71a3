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
  return { perX, within: (STUDENT[free - 1] ?? 1.96) * Math.sqrt(spread / squareX) }
}

/** Means of the first and the last third. */
export function thirdsOf(values: readonly number[]): { first: number; last: number } {
  const size = Math.max(1, Math.floor(values.length / 3))
  return { first: meanOf(values.slice(0, size)), last: meanOf(values.slice(-size)) }
}
