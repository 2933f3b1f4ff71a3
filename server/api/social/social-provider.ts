// The interface to a service where users have accounts, such as X. A page of that service gives its
// user a code, which proves the account once.

/** An account proven by a code. */
export interface SocialAccount {
  /** Without the @. */
  readonly handle: string
  /** https link; null without a picture. */
  readonly avatarUrl: string | null
}

export interface SocialProvider {
  /** Undefined for a code that proves nothing. It has its own deadline. */
  accountOf(code: string): Promise<SocialAccount | undefined>
}
