import type { SocialProvider } from './social-provider.ts'

const CODE = /^demo:([A-Za-z0-9_]{1,15})$/

/** Accepts every code of the form `demo:handle`, because a demo has nothing of value. */
export const demoProvider: SocialProvider = {
  accountOf: async (code) => {
    const handle = CODE.exec(code)?.[1]
    if (handle === undefined) return undefined
    return { handle, avatarUrl: `https://pictures.example/${handle}.png` }
  },
}
