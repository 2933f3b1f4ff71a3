/** A sentence for whoever operates the exchange: the chain, a contract or a key is not usable. */
export class ChainTrouble extends Error {
  override name = 'ChainTrouble'
}
