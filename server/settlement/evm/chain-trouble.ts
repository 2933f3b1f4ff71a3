/** A sentence for whoever operates the exchange: the chain, a contract or a key is not usable. */
export class ChainTrouble extends Error {
  override name = 'ChainTrouble'
}

/** No waiting helps: a setting names the wrong chain, contract or key. */
export class WrongChain extends ChainTrouble {
  override name = 'WrongChain'
}

/** The chain contradicts what it stated as final. Nothing follows it until somebody has looked. */
export class ChainContradicted extends ChainTrouble {
  override name = 'ChainContradicted'
}

/** An account lacks the coins for its next transaction. */
export class CoinTrouble extends ChainTrouble {
  override name = 'CoinTrouble'
}
