const startMs = performance.now()

/** Says on stderr what is being measured, so that a long bench does not look stuck. */
export function progress(text: string): void {
  const seconds = Math.round((performance.now() - startMs) / 1000)
  process.stderr.write(`${String(seconds).padStart(5)} s  ${text}\n`)
}
