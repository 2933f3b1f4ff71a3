const startMs = performance.now()

/** Says on stderr what is being measured, so that nobody wonders whether it hangs. */
export function progress(text: string): void {
  const seconds = Math.round((performance.now() - startMs) / 1000)
  process.stderr.write(`${String(seconds).padStart(5)} s  ${text}\n`)
}
