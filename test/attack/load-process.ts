import { Load, type LoadSetting } from './load.ts'

// The normal load, in its own process.

export type LoadAsk =
  | { readonly kind: 'start'; readonly setting: LoadSetting }
  | { readonly kind: 'figures' }
  | { readonly kind: 'end' }

let load: Load | null = null

async function answer(ask: LoadAsk) {
  switch (ask.kind) {
    case 'start':
      load = new Load(ask.setting)
      void load.run()
      return null
    case 'figures':
      return await load?.figures()
    case 'end':
      return await load?.end()
  }
}

process.on('message', async (ask: LoadAsk) => process.send?.((await answer(ask)) ?? null))
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
