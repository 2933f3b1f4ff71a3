// The looks at the metrics of about a minute: what is shown is what was added since the oldest of
// them. A text of metrics is large, so of each look only the wanted series are kept, and of the
// looks only some.

import { Figures, type Look, seriesOf } from '../../../ops/figures.ts'

const SPACE_MS = 10_000
const KEPT_MAX = 7

export class RecentLooks {
  readonly #wanted: ReadonlySet<string>
  #looks: Look[] = []

  /** Series of histograms end in `_bucket`, `_sum` and `_count`. */
  constructor(wanted: ReadonlySet<string>) {
    this.#wanted = wanted
  }

  /**
   * Takes a text of metrics. The figures are those since the start of the exchange at the first
   * look, and since the oldest kept look from then on.
   */
  take(text: string, atMs: number): Figures {
    const series = seriesOf(text).filter(({ name }) => this.#wanted.has(name))
    const now = { atMs, series }
    const last = this.#looks.at(-1)
    if (last === undefined || atMs - last.atMs >= SPACE_MS) {
      this.#looks = [...this.#looks, now].slice(-KEPT_MAX)
    }
    const oldest = this.#looks[0]
    if (oldest === undefined || oldest === now) {
      return new Figures({ atMs: atMs - this.#upMs(now), series: [] }, now)
    }
    return new Figures(oldest, now)
  }

  /** How far back the newest figures go; null for since the start. */
  spanMs(nowMs: number): number | null {
    const oldest = this.#looks[0]
    return oldest === undefined || oldest.atMs === nowMs ? null : nowMs - oldest.atMs
  }

  #upMs({ series }: Look): number {
    const up = series.find(({ name }) => name === 'outcomex_uptime_seconds')
    return (up?.value ?? 0) * 1000
  }
}
