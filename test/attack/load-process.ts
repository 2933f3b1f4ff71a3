import { Load, type LoadSetting } from './load.ts'

// The normal load, in its own process.

export type LoadRequest =
  | { readonly kind: 'start'; readonly setting: LoadSetting }
  | { readonly kind: 'figures' }
  | { readonly kind: 'end' }

let load: Load | null = null

async function answer(request: LoadRequest) {
  switch (request.kind) {
    case 'start':
      load = new Load(request.setting)
      void load.run()
      return null
    case 'figures':
      return await load?.figures()
    case 'end':
      return await load?.end()
  }
}

process.on('message', async (request: LoadRequest) =>
  process.send?.((await answer(request)) ?? null),
)
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
