/** The code that the system or SQLite gives an error, like `ENOENT`; '' for any other error. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}
