// Loads a source from its transpiled copy; its URL stays that of the source. A source that a test
// wrote has no copy and is transpiled here.

import { readFileSync } from 'node:fs'
import type { LoadHook, ResolveHook } from 'node:module'
import { fileURLToPath } from 'node:url'

const COPIES = new URL('../../..', import.meta.url)
let root = ''
let esbuild = ''

/** Takes the URLs of the folder that was transpiled and of the package esbuild. */
export function initialize(known: { readonly root: string; readonly esbuild: string }): void {
  root = known.root
  esbuild = known.esbuild
}

/** A relative path with an extension needs no search. */
export const resolve: ResolveHook = (specifier, context, next) => {
  const { parentURL = '' } = context
  const isPlain = specifier.startsWith('.') && specifier.endsWith('.ts')
  if (!isPlain || !parentURL.startsWith(root)) return next(specifier, context)
  return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
}

export const load: LoadHook = async (url, context, next) => {
  if (!url.endsWith('.ts')) return next(url, context)
  return { format: 'module', source: await codeOf(url), shortCircuit: true }
}

async function codeOf(url: string): Promise<string> {
  if (url.startsWith(root)) {
    const copy = `${url.slice(root.length, -'.ts'.length)}.mjs`
    return readFileSync(new URL(copy, COPIES), 'utf8')
  }
  const { transform }: typeof import('esbuild') = await import(esbuild)
  const source = readFileSync(fileURLToPath(url), 'utf8')
  return (await transform(source, { loader: 'ts', format: 'esm' })).code
}
