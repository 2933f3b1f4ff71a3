/** The code of a system or SQLite error, such as `ENOENT`; '' for any other error. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}

/**
 * The text of an error. SQLite errors that cross a thread lose their message, so their code is
 * used.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof Error) return error.message
  if (typeof error !== 'object' || error === null || !('code' in error)) return String(error)
  return String(error.code)
}
