import { type Sample, type Slope, secondHalfOf, slopeOf } from './drift.ts'
import type { ProcessFigures } from './process-figures.ts'

// What a soak concludes from its windows. Memory is judged by the second half of long lives alone:
// before that V8 compiles, caches fill and threads start, all of which levels off. The last thread,
// that of the solvency counts, starts after a minute, and the heaps are then level; the rest of the
// resident memory takes minutes.

interface MemoryBound {
  readonly name: string
  readonly wrong: string
  readonly bytes: 'heapBytes' | 'externalBytes' | 'residentBytes'
  /** What an ended order may leave there. */
  readonly bytesPerCommandMax: number
  /** The shortest life whose second half is level. */
  readonly lifeSecondsMin: number
}

const HELD = { bytesPerCommandMax: 48, lifeSecondsMin: 180 }
const MEMORY: readonly MemoryBound[] = [
  { ...HELD, name: 'heaps of all threads', wrong: 'the heaps grow', bytes: 'heapBytes' },
  { ...HELD, name: 'outside the heaps', wrong: 'external memory grows', bytes: 'externalBytes' },
  {
    name: 'resident memory',
    wrong: 'resident memory grows',
    bytes: 'residentBytes',
    bytesPerCommandMax: 384,
    lifeSecondsMin: 720,
  },
]
const OPEN_FILES_MAX = 8

export interface SoakFigures extends ProcessFigures {
  readonly seq: number
  /** Of all threads, after a collection. */
  readonly heapBytes: number
  readonly externalBytes: number
}

export interface SoakWindow {
  readonly life: number
  /** How long the life is meant to last. */
  readonly lifeSeconds: number
  readonly figures: SoakFigures
}

export interface MemoryTrend {
  readonly name: string
  /** Bytes per command; null when no life is long enough to judge this figure. */
  readonly slope: Slope | null
  /** What is wrong, or '' when the figure stays level within its bound. */
  readonly wrong: string
}

/** One trend for each figure of memory. */
export function memoryTrends(windows: readonly SoakWindow[]): MemoryTrend[] {
  return MEMORY.map(({ name, wrong, bytes, bytesPerCommandMax, lifeSecondsMin }) => {
    const judged = windows.filter(({ lifeSeconds }) => lifeSeconds >= lifeSecondsMin)
    if (judged.length === 0) return { name, slope: null, wrong: '' }
    const samples: Sample[] = judged.map(({ life, figures }) => {
      return { group: life, x: figures.seq, y: figures[bytes] }
    })
    const slope = slopeOf(secondHalfOf(samples))
    const isOver = slope.perX - slope.within > bytesPerCommandMax
    return { name, slope, wrong: isOver ? wrong : '' }
  })
}

/**
 * The most that a figure grew in the second half of a life: in the first, threads start and files
 * open. Lives differ in their number of threads.
 */
function mostGrowth(windows: readonly SoakWindow[], name: 'openFiles' | 'threads'): number {
  const samples = windows.map(({ life, figures }) => {
    return { group: life, x: figures.seq, y: figures[name] }
  })
  const firstOf = new Map<number, number>()
  let most = 0
  for (const { group, y } of secondHalfOf(samples)) {
    const first = firstOf.get(group) ?? y
    firstOf.set(group, first)
    most = Math.max(most, y - first)
  }
  return most
}

export interface Growth {
  readonly files: number
  readonly threads: number
  readonly wrong: readonly string[]
}

export function growthOf(windows: readonly SoakWindow[]): Growth {
  const files = mostGrowth(windows, 'openFiles')
  const threads = mostGrowth(windows, 'threads')
  const wrong = [
    ...(files > OPEN_FILES_MAX ? ['open files grow'] : []),
    ...(threads > 0 ? ['threads grow'] : []),
  ]
  return { files, threads, wrong }
}
