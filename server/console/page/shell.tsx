// What stands around every view: the head with its links, the main part, the foot.

import { Dialogs } from './dialog.tsx'
import { NoticeList, type Notices } from './notices.tsx'
import { type ComponentChildren, useRef } from './preact.ts'
import { type Place, PlaceLink, Router } from './router.tsx'
import { ThemeButton } from './theme.tsx'

interface ShellProps {
  readonly links: readonly (readonly [href: string, label: string])[]
  readonly places: readonly Place[]
  readonly aside: ComponentChildren
  readonly foot: ComponentChildren
  readonly notices: Notices
  /** Stands below the head. */
  readonly banner?: ComponentChildren
}

export function Shell({ links, places, aside, foot, notices, banner }: ShellProps) {
  const root = useRef<HTMLElement>(null)
  /** The fragment names a view, so the link moves the focus itself. */
  const skip = (event: Event) => {
    event.preventDefault()
    root.current?.focus()
  }
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        Skip to content
      </a>
      <header class="head">
        <a class="logo" href="#/">
          outcomex
        </a>
        <nav aria-label="Main">
          {links.map(([href, label]) => (
            <PlaceLink key={href} href={href} label={label} />
          ))}
        </nav>
        <div class="aside">{aside}</div>
      </header>
      {banner}
      <Router root={root} places={places} />
      <footer class="foot">
        {foot}
        <ThemeButton />
      </footer>
      <NoticeList notices={notices} />
      <Dialogs />
    </>
  )
}
