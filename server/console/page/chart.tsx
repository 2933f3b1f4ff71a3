// A chart. What it shows is also in its label, which a screen reader says; without the file of the
// library the words around it stay.

import './chart.css'
import type { ChartForm, Columns, PlottedChart } from './plot.ts'
import { signal, useLayoutEffect, useRef } from './preact.ts'

interface ChartProps {
  readonly form: ChartForm
  /** Another array draws again. */
  readonly columns: Columns
  readonly label: string
}

const library = signal<typeof import('./plot.ts') | null>(null)

async function load(): Promise<void> {
  try {
    library.value ??= await import('./plot.ts')
  } catch {
    // The next chart tries again.
  }
}

export function Chart(props: ChartProps) {
  useLayoutEffect(() => void load(), [])
  return library.value === null ? null : <Canvas {...props} plots={library.value} />
}

interface CanvasProps extends ChartProps {
  readonly plots: NonNullable<typeof library.value>
}

function Canvas({ form, columns, label, plots }: CanvasProps) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<PlottedChart>(null)
  useLayoutEffect(() => {
    if (box.current === null) return
    plot.current = new plots.PlottedChart(form, box.current)
    return () => plot.current?.stop()
  }, [])
  useLayoutEffect(() => plot.current?.show(columns), [columns])
  return <div class="chart" role="img" aria-label={label} ref={box} />
}
