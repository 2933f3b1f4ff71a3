// All markets: a search, the categories, and a list whose prices move live.

import { Button } from '../page/blocks.tsx'
import './markets.css'
import type { Context } from '../context.ts'
import { useOwned } from '../page/lifetime.ts'
import { useLayoutEffect, useRef } from '../page/preact.ts'
import { MarketList } from './market-list.ts'
import { isCategory, type NavigationNode, nodeOf, SORTS } from './market-source.ts'
import { linksIn, RowList } from './row-list.tsx'

/** The longest search that the exchange takes. */
const SEARCH_MAX = 200

interface MarketsViewProps {
  readonly context: Context
  /** The slug or the id of a category; absent for all markets. */
  readonly category?: string | undefined
}

export function MarketsView({ context, category }: MarketsViewProps) {
  const list = useOwned(() => new MarketList(context, category))
  const body = useRef<HTMLDivElement>(null)
  const markets = list.found.value?.markets ?? list.listed.value?.markets
  return (
    <section class="view markets">
      <h1 class="hidden">Markets</h1>
      <div class="tools">
        <Search list={list} toRows={() => linksIn(body.current)[0]?.focus()} />
        <Sorts list={list} />
      </div>
      <Categories list={list} />
      <p class="soft tally" role="status">
        {tallyOf(list)}
      </p>
      <RowList context={context} markets={markets ?? []} nowMs={list.nowMs} body={body} />
      {list.isMore && (
        <Button label="Show more markets" class="more" onClick={() => list.showMore()} />
      )}
    </section>
  )
}

function tallyOf(list: MarketList): string {
  const { fault, found, listed } = list
  if (fault.value !== '') return fault.value
  if (found.value !== null) {
    const { query, markets } = found.value
    if (markets.length === 0) return `Nothing found for “${query}”.`
    return `${markets.length} found for “${query}”`
  }
  if (listed.value === null) return 'Loading markets…'
  return `${listed.value.markets.length} of ${listed.value.totalCount} active markets`
}

interface ListProps {
  readonly list: MarketList
}

interface SearchProps extends ListProps {
  /** Moves the focus to the first row. */
  readonly toRows: () => void
}

function Search({ list: { search }, toRows }: SearchProps) {
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    const focus = (event: KeyboardEvent) => focusSearch(event, input.current)
    addEventListener('keydown', focus)
    return () => removeEventListener('keydown', focus)
  }, [])
  const leave = (event: KeyboardEvent & { readonly currentTarget: HTMLInputElement }) => {
    if (event.key === 'Escape') {
      event.currentTarget.value = ''
      search.type('')
    }
    if (event.key !== 'ArrowDown') return
    event.preventDefault()
    toRows()
  }
  return (
    <input
      ref={input}
      type="search"
      name="search"
      placeholder="Search markets"
      aria-label="Search markets"
      aria-keyshortcuts="/"
      autocomplete="off"
      maxLength={SEARCH_MAX}
      onInput={(event) => search.type(event.currentTarget.value)}
      onKeyDown={leave}
    />
  )
}

function focusSearch(event: KeyboardEvent, input: HTMLInputElement | null): void {
  const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea')
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  input?.focus()
}

function Sorts({ list }: ListProps) {
  const place = list.navigation.value?.place ?? null
  // A page of an operator sorts by fields alone.
  const known =
    place === null || isCategory(place)
      ? SORTS
      : SORTS.filter(([sort]) => sort === 'newest' || sort === 'ending_soon')
  const choose = (value: string) => {
    const sort = known.find(([each]) => each === value)?.[0]
    if (sort !== undefined) list.sortBy(sort)
  }
  return (
    <select
      name="sort"
      aria-label="Sort by"
      value={list.sort.value}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      {known.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}

function Categories({ list }: ListProps) {
  const navigation = list.navigation.value
  if (navigation === null) return <nav class="categories" aria-label="Categories" />
  const { nodes, totalCount, place } = navigation
  const isWithin = (node: NavigationNode) => nodeOf([node], place?.id ?? '') !== undefined
  const below = nodes.find(isWithin)?.children ?? []
  return (
    <nav class="categories" aria-label="Categories">
      <CategoryLink href="#/" name="All" count={totalCount} isHere={place === null} />
      {nodes.map((node) => (
        <CategoryLink key={node.id} {...node} href={linkOf(node)} isHere={isWithin(node)} />
      ))}
      {below.map((node) => (
        <CategoryLink key={node.id} {...node} href={linkOf(node)} isHere={node.id === place?.id} />
      ))}
    </nav>
  )
}

const linkOf = ({ slug }: NavigationNode) => `#/category/${encodeURIComponent(slug)}`

interface CategoryLinkProps {
  readonly href: string
  readonly name: string
  readonly count: number
  readonly isHere: boolean
}

function CategoryLink({ href, name, count, isHere }: CategoryLinkProps) {
  return (
    <a href={href} aria-current={isHere ? 'page' : undefined}>
      {name}
      <span class="count">{count}</span>
    </a>
  )
}
