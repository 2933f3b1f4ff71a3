// The page at `/docs/openapi`: every call of the exchange, from its own document, by Swagger UI.

import './openapi.css'
import show from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import { useLayoutEffect, useRef } from '../page/preact.ts'
import { showPage } from '../page/rendering.ts'
import { startTheme, ThemeButton } from '../page/theme.tsx'

/** The library has its dark colours behind a class. */
function follow(): void {
  const { dataset, classList } = document.documentElement
  const isSystemDark = matchMedia('(prefers-color-scheme: dark)').matches
  const isDark = dataset.theme === 'dark' || (dataset.theme === undefined && isSystemDark)
  classList.toggle('dark-mode', isDark)
}

function showReference(domNode: HTMLElement): void {
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
}

function Reference() {
  const main = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    if (main.current !== null) showReference(main.current)
  }, [])
  return (
    <>
      <header class="reference">
        <a href="/docs">All documents</a>
        <ThemeButton />
      </header>
      <main id="main" ref={main} />
    </>
  )
}

addEventListener('themechange', follow)
startTheme()
showPage(<Reference />)
