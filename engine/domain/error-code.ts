/** What the system or SQLite calls an error, like `ENOENT`; '' when it is none of theirs. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}
