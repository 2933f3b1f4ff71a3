/**
 * Runs the work. A failure counts only if the market is still open: a person may lock or resolve it
 * while the demo trades.
 */
export async function whileOpen(
  isOpen: () => Promise<boolean>,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (await isOpen()) throw error
  }
}
