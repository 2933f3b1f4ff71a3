// Charts on a canvas. This file alone imports uPlot, and is loaded with the first chart.

// Before the library, which reads it as it loads.
import './language.ts'
import Plot from 'uplot'
import { axisTimes } from './format.ts'
import { colour } from './theme.tsx'

export interface ChartLine {
  readonly label: string
  /** A colour of the theme; the area below gets `fill`, another one. */
  readonly colour: string
  readonly fill?: string
  /** Values are steps: 1 holds a value until the next point, -1 since the point before. */
  readonly step: 1 | -1
}

export interface ChartForm {
  readonly lines: readonly ChartLine[]
  readonly isTime: boolean
  readonly heightPx: number
  /** The smallest span of y. A smaller one would show the same words at each mark. */
  readonly leastSpan: number
  readonly x: (value: number) => string
  readonly y: (value: number) => string
}

export type Columns = readonly [x: readonly number[], ...ys: (readonly (number | null)[])[]]

const FONT = '12px system-ui, sans-serif'
const Y_AXIS_PX = 54
const X_GAP_PX = 70
/** Space for half of the text below the last mark of x. */
const RIGHT_PX = 28
/** What is shown around a single point. */
const AROUND_SEC = 300
const AROUND_VALUE = 1

function axisOf(words: (value: number) => string, isTime: boolean): Plot.Axis {
  return {
    stroke: colour('soft'),
    font: FONT,
    grid: { stroke: colour('line'), width: 1 },
    ticks: { show: false },
    values: (_plot, marks, _axis, _spacePx, step) =>
      isTime ? axisTimes(marks, step) : marks.map(words),
  }
}

/** The library widens the span of a single point to years of time before it asks for a range. */
function spanOf(around: number): Plot.Range.Function {
  return ({ data: [xs] }, min, max) => {
    const [first] = xs
    return xs.length === 1 ? [first - around, first + around] : [min, max]
  }
}

/** A tenth of the span is left above and below. */
function heightsOf(leastSpan: number): Plot.Range.Function {
  return (_plot, min, max) => {
    if (min === null || max === null) return [0, leastSpan]
    const lack = Math.max(0, leastSpan - (max - min))
    // What is never below zero has no mark below zero.
    const low = min < 0 ? min - lack / 2 : Math.max(0, min - lack / 2)
    return Plot.rangeNum(low, Math.max(max, low + leastSpan), 0.1, true)
  }
}

function pathsOf(align: 1 | -1): Pick<Plot.Series, 'paths'> {
  const paths = Plot.paths.stepped?.({ align })
  return paths === undefined ? {} : { paths }
}

export class PlottedChart {
  readonly #element: HTMLElement
  readonly #read = document.createElement('p')
  readonly #form: ChartForm
  readonly #sizes = new ResizeObserver(() => this.#resize())
  readonly #recolour = (): void => this.#build()
  #plot: Plot | null = null
  #columns: Columns | null = null

  /** `element` stays empty but for the chart. */
  constructor(form: ChartForm, element: HTMLElement) {
    this.#form = form
    this.#element = element
    this.#read.className = 'chart-read soft'
    this.#read.ariaHidden = 'true'
    this.#sizes.observe(element)
    addEventListener('themechange', this.#recolour)
  }

  show(columns: Columns): void {
    this.#columns = columns
    if (this.#plot === null) this.#build()
    else this.#plot.setData(dataOf(columns))
  }

  stop(): void {
    removeEventListener('themechange', this.#recolour)
    this.#sizes.disconnect()
    this.#plot?.destroy()
  }

  #resize(): void {
    const width = this.#element.clientWidth
    if (this.#plot === null) this.#build()
    else if (width > 0) this.#plot.setSize({ width, height: this.#form.heightPx })
  }

  /** Colours are read when a chart is made, so another theme needs another one. */
  #build(): void {
    const width = this.#element.clientWidth
    if (this.#columns === null || width === 0) return
    this.#plot?.destroy()
    this.#plot = new Plot(this.#options(width), dataOf(this.#columns), this.#element)
    this.#element.append(this.#read)
  }

  #options(width: number): Plot.Options {
    const { lines, isTime, heightPx, leastSpan, x, y } = this.#form
    const series = lines.map(({ label, colour: stroke, fill, step }) => ({
      label,
      stroke: colour(stroke),
      width: 2,
      points: { show: (plot: Plot) => plot.data[0].length === 1 },
      ...(fill === undefined ? {} : { fill: colour(fill) }),
      ...pathsOf(step),
    }))
    return {
      width,
      height: heightPx,
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, y: false },
      padding: [null, RIGHT_PX, null, null],
      scales: {
        x: { time: isTime, range: spanOf(isTime ? AROUND_SEC : AROUND_VALUE) },
        y: { range: heightsOf(leastSpan) },
      },
      axes: [
        { ...axisOf(x, isTime), space: X_GAP_PX },
        { ...axisOf(y, false), size: Y_AXIS_PX },
      ],
      series: [{}, ...series],
      hooks: { setCursor: [(plot: Plot) => this.#point(plot)] },
    }
  }

  /** What stands below the pointer. */
  #point(plot: Plot): void {
    const index = plot.cursor.idx
    const at = index === null || index === undefined ? undefined : plot.data[0][index]
    if (at === undefined || index === null || index === undefined) {
      this.#read.textContent = ''
      return
    }
    const values = this.#form.lines.flatMap(({ label }, line) => {
      const value = plot.data[line + 1]?.[index]
      return value === null || value === undefined ? [] : [`${label} ${this.#form.y(value)}`]
    })
    this.#read.textContent = [this.#form.x(at), ...values].join(' · ')
  }
}

function dataOf([x, ...ys]: Columns): Plot.AlignedData {
  return [[...x], ...ys.map((y) => [...y])]
}
