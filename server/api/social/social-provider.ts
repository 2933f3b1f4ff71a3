// The port to a service where people have accounts, such as X. A page of that service gives its
// user a code, which proves the account once.

/** An account that a code proved. */
export interface SocialAccount {
  /** Without the @. */
  readonly handle: string
  /** https link; null without a picture. */
  readonly avatarUrl: string | null
}

export interface SocialProvider {
  /** Undefined for a code that proves nothing. It ends by itself, within its own deadline. */
  accountOf(code: string): Promise<SocialAccount | undefined>
}
