// Which view the page shows: the one that the fragment of the address names.

import { type RefObject, signal, useLayoutEffect, useMemo, useRef, type VNode } from './preact.ts'

export interface Place {
  /** Like `#/market/:slug`. */
  readonly pattern: string
  readonly title: string
  readonly view: (params: Readonly<Record<string, string>>) => VNode
}

/** Each change of the address begins a new view, also when it names the same place. */
const route = signal({ fragment: fragmentNow(), number: 0 })

addEventListener('hashchange', () => {
  route.value = { fragment: fragmentNow(), number: route.peek().number + 1 }
})

function fragmentNow(): string {
  const [fragment = ''] = (location.hash || '#/').split('?')
  return fragment
}

export function marketLink(slug: string): string {
  return `#/market/${encodeURIComponent(slug)}`
}

/** A link of the head, marked while its place is shown. */
export function PlaceLink({ href, label }: { readonly href: string; readonly label: string }) {
  return (
    <a href={href} aria-current={route.value.fragment === href ? 'page' : undefined}>
      {label}
    </a>
  )
}

interface RouterProps {
  readonly root: RefObject<HTMLElement | null>
  readonly places: readonly Place[]
}

export function Router({ root, places }: RouterProps) {
  const { fragment, number } = route.value
  const isFirst = useRef(true)
  const { title, view } = useMemo(() => viewAt(places, fragment), [places, number])
  useLayoutEffect(() => {
    document.title = `${title} · outcomex`
    scrollTo(0, 0)
    // A screen reader continues with the new view.
    if (!isFirst.current) root.current?.focus({ preventScroll: true })
    isFirst.current = false
  }, [places, number])
  return (
    <main id="main" tabIndex={-1} ref={root}>
      <div key={`${number} ${title}`}>{view}</div>
    </main>
  )
}

function viewAt(places: readonly Place[], fragment: string) {
  for (const { pattern, title, view } of places) {
    const params = matched(pattern, fragment)
    if (params !== null) return { title, view: view(params) }
  }
  return { title: 'Nothing here', view: <NothingHere /> }
}

function NothingHere() {
  return (
    <section class="view">
      <h1>Nothing here</h1>
      <p>
        <a href="#/">All markets</a>
      </p>
    </section>
  )
}

function matched(pattern: string, fragment: string): Record<string, string> | null {
  const wanted = pattern.split('/')
  const given = fragment.split('/')
  if (wanted.length !== given.length) return null
  const params: Record<string, string> = {}
  for (const [index, word] of wanted.entries()) {
    if (word.startsWith(':')) params[word.slice(1)] = decoded(given[index] ?? '')
    else if (word !== given[index]) return null
  }
  return params
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
