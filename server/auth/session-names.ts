// Names of the session cookie. This file needs no cryptography, so the settings may import it.

/** The second is the name that clients in other languages expect. */
export const SESSION_COOKIES: readonly string[] = ['outcomex_session', 'limitless_session']

/** How the session cookie is named. A login sets one cookie per name, all with the same value. */
export interface CookieNaming {
  /** True when users reach the exchange over TLS. */
  readonly isSecure: boolean
  readonly names: readonly string[]
}

/**
 * The names of the session cookie. Browsers accept a name with `__Host-` only from this very host,
 * over TLS, so no page of a neighbouring host can plant such a cookie.
 */
export function sessionCookieNames({ isSecure, names }: CookieNaming): readonly string[] {
  return isSecure ? names.map((name) => `__Host-${name}`) : names
}
