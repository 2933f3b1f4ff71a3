// The reporter of a test file that `test/run.ts` started. It passes on every event at once, so that
// the runner knows which tests failed and when the file last made progress.

interface Event {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The beginning of a test or suite, or its result. */
export interface TestEvent {
  readonly type: 'begin' | 'pass' | 'fail'
  readonly name: string
  readonly nesting: number
  readonly tookMs: number
  readonly isSuite: boolean
  readonly isSkipped: boolean
  readonly isTodo: boolean
  /** The error of a failure; '' when a test inside has reported it. */
  readonly why: string
}

/** A test noted that it makes progress. */
export interface Progress {
  readonly type: 'progress'
}

const TYPES: Readonly<Record<string, TestEvent['type']>> = {
  'test:dequeue': 'begin',
  'test:pass': 'pass',
  'test:fail': 'fail',
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function whyOf(error: unknown): string {
  if (!isRecord(error)) return String(error)
  if (error.failureType === 'subtestsFailed') return ''
  const cause = isRecord(error.cause) ? error.cause : error
  return String(cause.stack ?? cause.message ?? error.message ?? error)
}

function reported({ type, data }: Event): TestEvent | null {
  const kind = TYPES[type]
  if (kind === undefined) return null
  const details = isRecord(data.details) ? data.details : {}
  return {
    type: kind,
    name: String(data.name),
    nesting: Number(data.nesting),
    tookMs: Number(details.duration_ms ?? 0),
    isSuite: details.type === 'suite',
    isSkipped: data.skip !== undefined,
    isTodo: data.todo !== undefined,
    why: kind === 'fail' ? whyOf(details.error) : '',
  }
}

/** Reports by messages only, and writes nothing itself. */
export default async function* report(source: AsyncIterable<Event>): AsyncGenerator<string> {
  for await (const event of source) {
    const line = reported(event)
    if (line !== null) process.send?.(line)
  }
  yield ''
}
