/** The code that the system or SQLite gives an error, like `ENOENT`; '' for any other error. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}

/** The reason that an error gives. An error of SQLite leaves its thread without its message. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error) return error.message
  if (typeof error !== 'object' || error === null || !('code' in error)) return String(error)
  return String(error.code)
}
