// Reads of the exchange that are shown, and made again when something may have changed.

import { messageOf } from '../exchange/api.ts'
import { Button } from './blocks.tsx'
import { useOwned } from './lifetime.ts'
import { batch, type ComponentChildren, signal } from './preact.ts'
import { Refresher } from './refresher.ts'

/** A read that begins at once: what it gave last, and why the newest one failed. */
export class Reading<Reply> {
  readonly reply = signal<Reply | null>(null)
  /** Empty unless the newest read failed. */
  readonly fault = signal('')
  readonly isBusy = signal(true)
  readonly #refresher: Refresher

  /** A read that gives null changes nothing: what it was made for is not wanted any more. */
  constructor(read: (signal: AbortSignal) => Promise<Reply | null>, pauseMs: number) {
    this.#refresher = new Refresher(async (signal) => {
      try {
        const reply = await read(signal)
        if (!signal.aborted && reply !== null) this.#take(reply, '')
      } catch (error) {
        if (!signal.aborted) this.#take(this.reply.peek(), messageOf(error))
      }
    }, pauseMs)
    this.again()
  }

  /** Reads again. */
  again(): void {
    this.isBusy.value = true
    this.#refresher.refresh()
  }

  stop(): void {
    this.#refresher.stop()
  }

  #take(reply: Reply | null, fault: string): void {
    batch(() => {
      this.reply.value = reply
      this.fault.value = fault
      this.isBusy.value = false
    })
  }
}

/** Reads at once, and again on `again`, while the component is on the page. */
export function useReading<Reply>(
  read: (signal: AbortSignal) => Promise<Reply | null>,
  pauseMs: number,
): Reading<Reply> {
  return useOwned(() => new Reading(read, pauseMs))
}

export interface Page<Cursor, Reply> {
  readonly reply: Reply
  /** Null on the last page. */
  readonly next: Cursor | null
}

const PAUSE_MS = 500

type ReadPage<Cursor, Reply> = (
  cursor: Cursor | null,
  signal: AbortSignal,
) => Promise<Page<Cursor, Reply>>

/** A list of the exchange that is read a page at a time. */
export class Pages<Cursor, Reply> {
  readonly reading: Reading<Page<Cursor, Reply>>
  /** Null on the first page. */
  readonly here = signal<Cursor | null>(null)
  readonly #before: (Cursor | null)[] = []

  constructor(read: ReadPage<Cursor, Reply>) {
    this.reading = new Reading(async (signal) => {
      const cursor = this.here.peek()
      const page = await read(cursor, signal)
      return cursor === this.here.peek() ? page : null
    }, PAUSE_MS)
  }

  /** Reads the shown page again. */
  again(): void {
    this.reading.again()
  }

  first(): void {
    this.#before.length = 0
    this.#go(null)
  }

  previous(): void {
    this.#go(this.#before.pop() ?? null)
  }

  next(): void {
    const next = this.reading.reply.peek()?.next ?? null
    if (next === null) return
    this.#before.push(this.here.peek())
    this.#go(next)
  }

  stop(): void {
    this.reading.stop()
  }

  #go(cursor: Cursor | null): void {
    this.here.value = cursor
    this.reading.again()
  }
}

export function usePages<Cursor, Reply>(read: ReadPage<Cursor, Reply>): Pages<Cursor, Reply> {
  return useOwned(() => new Pages(read))
}

interface PagedListProps<Cursor, Reply> {
  readonly pages: Pages<Cursor, Reply>
  readonly children: (reply: Reply) => ComponentChildren
}

export function PagedList<Cursor, Reply>({ pages, children }: PagedListProps<Cursor, Reply>) {
  const { reply, fault, isBusy } = pages.reading
  const page = reply.value
  const isFirst = pages.here.value === null
  const isLast = page === null || page.next === null
  return (
    <div>
      <div aria-busy={isBusy.value || undefined}>
        <Shown reading={pages.reading}>{(shown) => children(shown.reply)}</Shown>
      </div>
      <Fault text={fault.value} />
      <div class="row pages" hidden={isFirst && isLast}>
        <Button label="Previous page" disabled={isFirst} onClick={() => pages.previous()} />
        <Button label="Next page" disabled={isLast} onClick={() => pages.next()} />
      </div>
    </div>
  )
}

interface ShownProps<Reply> {
  readonly reading: Reading<Reply>
  readonly children: (reply: Reply) => ComponentChildren
}

/** What was read last. */
export function Shown<Reply>({ reading, children }: ShownProps<Reply>) {
  const reply = reading.reply.value
  if (reply !== null) return <>{children(reply)}</>
  return reading.fault.value === '' ? <p class="soft">Loading…</p> : null
}

/** Why a call failed; nothing for an empty text. */
export function Fault({ text }: { readonly text: string }) {
  return (
    <p class="failure" role="alert">
      {text}
    </p>
  )
}
