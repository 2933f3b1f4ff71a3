/** A random choice of the demo's bots; undefined for none. */
export function pick<Of>(all: readonly Of[]): Of | undefined {
  return all.at(Math.floor(Math.random() * all.length))
}
