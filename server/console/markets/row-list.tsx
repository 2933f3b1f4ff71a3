// The rows that are shown, in their order. Rows keep their elements when the list changes, and only
// those in view follow their books.

import type { Context } from '../context.ts'
import type { MarketView } from '../exchange/shapes.ts'
import { useOwned } from '../page/lifetime.ts'
import { Fragment, type ReadonlySignal, type RefObject } from '../page/preact.ts'
import { marketLink } from '../page/router.tsx'
import { MarketRow, type WatchView } from './market-row.tsx'

/** A list shows so many children of a group; its page shows all. */
const CHILDREN_MAX = 6
/** Rows so far outside of the view follow already. */
const AHEAD = '200px'

const HEADS = [
  ['Market', undefined],
  ['YES', 'number'],
  ['Bid', 'number wide'],
  ['Ask', 'number wide'],
  ['Volume', 'number wide'],
  ['Ends', 'number ends'],
] as const

/** One observer reports to all rows whether they are in view. */
class ViewWatch {
  readonly #watchers = new WeakMap<Element, (isSeen: boolean) => void>()
  readonly #observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) this.#watchers.get(target)?.(isIntersecting)
    },
    { rootMargin: AHEAD },
  )

  readonly watch: WatchView = (element, watcher) => {
    this.#watchers.set(element, watcher)
    this.#observer.observe(element)
    return () => this.#observer.unobserve(element)
  }

  stop(): void {
    this.#observer.disconnect()
  }
}

interface RowListProps {
  readonly context: Context
  readonly markets: readonly MarketView[]
  readonly nowMs: ReadonlySignal<number>
  /** The element with the rows, for keys that move the focus into it. */
  readonly body: RefObject<HTMLDivElement | null>
}

export function RowList({ context, markets, nowMs, body }: RowListProps) {
  const views = useOwned(() => new ViewWatch())
  const row = (market: MarketView, isChild: boolean) => (
    <MarketRow
      key={market.slug}
      context={context}
      market={market}
      isChild={isChild}
      nowMs={nowMs}
      watchView={views.watch}
    />
  )
  return (
    <div class="market-table" role="table" aria-label="Markets" onKeyDown={moveFocus(body)}>
      <div role="rowgroup">
        <div class="market heads" role="row">
          {HEADS.map(([label, name]) => (
            <span key={label} class={name} role="columnheader">
              {label}
            </span>
          ))}
        </div>
      </div>
      <div class="rows" role="rowgroup" ref={body}>
        {markets.map((market) => {
          const children = market.markets ?? []
          return (
            <Fragment key={market.slug}>
              {row(market, false)}
              {children.slice(0, CHILDREN_MAX).map((child) => row(child, true))}
              {children.length > CHILDREN_MAX && (
                <More slug={market.slug} count={children.length - CHILDREN_MAX} />
              )}
            </Fragment>
          )
        })}
      </div>
    </div>
  )
}

function More({ slug, count }: { readonly slug: string; readonly count: number }) {
  return (
    <div class="market child" role="row">
      <span class="name" role="cell">
        <a class="open" href={marketLink(slug)}>
          {count} more
        </a>
      </span>
    </div>
  )
}

/** The links of the rows, in their order. */
export function linksIn(body: HTMLElement | null): HTMLAnchorElement[] {
  return [...(body?.querySelectorAll<HTMLAnchorElement>('a.open') ?? [])]
}

function moveFocus(body: RefObject<HTMLDivElement | null>) {
  return (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key]
    if (step === undefined || !(event.target instanceof HTMLAnchorElement)) return
    const links = linksIn(body.current)
    const index = links.indexOf(event.target) + step
    event.preventDefault()
    links[Math.min(links.length - 1, Math.max(0, index))]?.focus()
  }
}
