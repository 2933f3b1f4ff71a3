// The choices of the demo's bots.

/** One of all by chance; undefined for none. */
export function pick<Of>(all: readonly Of[]): Of | undefined {
  return all.at(Math.floor(Math.random() * all.length))
}
