// A browser may name a language that no program knows, like en-US@posix. The charts' library would
// fail as it loads, so such a name is replaced for the whole page.

const FALLBACK = 'en-US'

try {
  new Intl.NumberFormat(navigator.language)
} catch {
  Object.defineProperty(navigator, 'language', { value: FALLBACK, configurable: true })
}
