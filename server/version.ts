/** The version of the program as in package.json; a test compares the two. */
export const VERSION = '0.1.0'

declare const OUTCOMEX_COMMIT: string | undefined

const { platform, arch, version: node } = process

/** What `--version` prints; the binary also says its commit and its platform. */
export const TEXT_VERSION =
  typeof OUTCOMEX_COMMIT === 'undefined'
    ? VERSION
    : `${VERSION} (commit ${OUTCOMEX_COMMIT}, ${platform}-${arch}, node ${node})`
