// Dark or light: as the system says, until the visitor chooses.

import { button, h } from './dom.ts'

const KEY = 'theme'
const THEMES = ['system', 'dark', 'light'] as const
type Theme = (typeof THEMES)[number]

function chosen(): Theme {
  const kept = localStorage.getItem(KEY)
  return THEMES.find((each) => each === kept) ?? 'system'
}

function apply(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  dispatchEvent(new Event('themechange'))
}

/** Call before the first paint. */
export function startTheme(): void {
  apply(chosen())
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', () => dispatchEvent(new Event('themechange')))
}

export function themeButton(): HTMLButtonElement {
  const label = () => `Theme: ${chosen()}`
  const made = button(
    label(),
    () => {
      const next = THEMES[(THEMES.indexOf(chosen()) + 1) % THEMES.length]
      localStorage.setItem(KEY, next)
      apply(next)
      made.textContent = label()
    },
    { class: 'quiet' },
  )
  return made
}

/** A colour of the theme as it is now, for canvases, which do not know the names. */
export function colour(name: string): string {
  const probe = h('span', {})
  probe.style.color = `var(--${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
