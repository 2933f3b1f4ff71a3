// Dark or light: as the system says, until the visitor chooses.

import { signal } from './preact.ts'

const KEY = 'theme'
const THEMES = ['system', 'dark', 'light'] as const
type Theme = (typeof THEMES)[number]

const theme = signal<Theme>(THEMES.find((each) => each === localStorage.getItem(KEY)) ?? 'system')

function apply(chosen: Theme): void {
  if (chosen === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen
  dispatchEvent(new Event('themechange'))
}

/** Call before the first paint. */
export function startTheme(): void {
  apply(theme.value)
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', () => dispatchEvent(new Event('themechange')))
}

export function ThemeButton() {
  const next = () => {
    const chosen = THEMES[(THEMES.indexOf(theme.peek()) + 1) % THEMES.length]
    localStorage.setItem(KEY, chosen)
    theme.value = chosen
    apply(chosen)
  }
  return (
    <button type="button" class="quiet" onClick={next}>
      Theme: {theme.value}
    </button>
  )
}

/** A colour of the theme as it is now, for canvases, which do not know the names. */
export function colour(name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(--${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
