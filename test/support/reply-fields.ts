/** A file of its own, so that the thread has to load a second module. */
export function greet(name: unknown): string {
  return `hello ${String(name)}`
}
