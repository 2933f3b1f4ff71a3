// How the session cookie is named. It needs no cryptography, so settings may read it.

/** The second is the name that clients of other languages look for. */
export const SESSION_COOKIES: readonly string[] = ['outcomex_session', 'limitless_session']

/** How the session cookie is named: a login sets one of each name, with one value. */
export interface CookieNaming {
  /** True when users reach the exchange over TLS. */
  readonly isSecure: boolean
  readonly names: readonly string[]
}

/**
 * The names of the session cookie. Browsers take a name with `__Host-` only from this host itself,
 * over TLS, so no page of a neighbouring host can plant such a cookie.
 */
export function sessionCookieNames({ isSecure, names }: CookieNaming): readonly string[] {
  return isSecure ? names.map((name) => `__Host-${name}`) : names
}
