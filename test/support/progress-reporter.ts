// The reporter of a test file that `test/run.ts` started: every event goes to it as it comes, so
// that it knows what failed and when the file last got on.

interface Event {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

/** What became of one test or suite, or that one has begun. */
export interface TestEvent {
  readonly type: 'begin' | 'pass' | 'fail'
  readonly name: string
  readonly nesting: number
  readonly tookMs: number
  readonly isSuite: boolean
  readonly isSkipped: boolean
  readonly isTodo: boolean
  /** Of a failure: what it said; '' when a test inside has said it. */
  readonly why: string
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

function told({ type, data }: Event): TestEvent | null {
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

/** Writes nothing itself. */
export default async function* report(source: AsyncIterable<Event>): AsyncGenerator<string> {
  for await (const event of source) {
    const line = told(event)
    if (line !== null) process.send?.(line)
  }
  yield ''
}
