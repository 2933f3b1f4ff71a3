/** A sentence for whoever operates the exchange: the chain, a contract or a key is not usable. */
export class ChainTrouble extends Error {
  override name = 'ChainTrouble'
}

/** No waiting helps: a setting names the wrong chain, contract or key. */
export class WrongChain extends ChainTrouble {
  override name = 'WrongChain'
}
