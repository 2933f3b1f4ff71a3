import type { SocialProvider } from './social-provider.ts'

const CODE = /^demo:([A-Za-z0-9_]{1,15})$/

/** Believes every code of the form `demo:handle`: in a demo nobody has anything to lose. */
export const demoProvider: SocialProvider = {
  accountOf: async (code) => {
    const handle = CODE.exec(code)?.[1]
    if (handle === undefined) return undefined
    return { handle, avatarUrl: `https://pictures.example/${handle}.png` }
  },
}
