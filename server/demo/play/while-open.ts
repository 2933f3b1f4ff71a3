// Somebody may lock or resolve a market while the demo trades in it.

/** Does the work. Its failure counts only if the market is still open: else that is the reason. */
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
