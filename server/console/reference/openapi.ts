// The page at `/docs/openapi`: every call of the exchange, from its own document, by Swagger UI.

import './openapi.css'
import show from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import { h } from '../page/dom.ts'
import { startTheme, themeButton } from '../page/theme.ts'

/** The library has its dark colours behind a class. */
function follow(): void {
  const { dataset, classList } = document.documentElement
  const isSystemDark = matchMedia('(prefers-color-scheme: dark)').matches
  const isDark = dataset.theme === 'dark' || (dataset.theme === undefined && isSystemDark)
  classList.toggle('dark-mode', isDark)
}

addEventListener('themechange', follow)
startTheme()
const domNode = h('main', { id: 'main' })
document.body.replaceChildren(
  h('header', { class: 'reference' }, h('a', { href: '/docs' }, 'All documents'), themeButton()),
  domNode,
)
show({
  url: '/openapi.json',
  domNode,
  deepLinking: true,
  docExpansion: 'list',
  filter: true,
  defaultModelsExpandDepth: 0,
  // Other calls need a proof, which this page cannot make.
  supportedSubmitMethods: ['get'],
  validatorUrl: null,
})
