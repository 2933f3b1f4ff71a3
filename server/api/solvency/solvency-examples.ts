// A complete proof of a tiny exchange, which outcomex verify-proof accepts.

const SNAPSHOT = {
  seq: 42,
  at: '2026-01-01T00:00:00.000Z',
  stateHash: 'aeed1f3b32d1fa505dc0dbf3f3fcce6e5986d28580fbcde5c330304e51ce0d80',
  root: '0c3d69d4b75031411747e5a75c30ae3b0357ade1896460b7fceecbe7ab9e48aa',
  treeHash: 'ac71bd89aa2e7edb23dc3514bfa46e8b8f6d15373d65d38cee0f9e8425f9ae87',
  assetsRaw: '25000000',
  debtsRaw: '0',
  advancedRaw: '0',
  obligationsRaw: '25000000',
  differenceRaw: '0',
}

export const SUMMARY_EXAMPLE = {
  snapshot: SNAPSHOT,
  obligations: {
    profilesRaw: '20000000',
    systemRaw: '0',
    sharesRaw: '5000000',
  },
  claims: 4,
  markets: 1,
}

export const PROOF_EXAMPLE = {
  proof: {
    format: 'outcomex/solvency/1',
    snapshot: SNAPSHOT,
    account: '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a',
    balances: [
      {
        token: 'collateral' as const,
        balanceRaw: '10000000',
        salt: '7298caa565031eadc6ce23d23ea66378',
        path: [
          {
            side: 'right' as const,
            hash: 'fae9fd5d6bf4827ee6967052492f06bbd7558d43474885e45f71a9164d7c81c9',
            sumRaw: '10000000',
          },
        ],
        market: null,
        topPath: [
          {
            side: 'right' as const,
            hash: 'fe6bb564a41463f8ddcb090627773e2b779726a1462a53ad0eed21965827068f',
            sumRaw: '5000000',
          },
        ],
      },
    ],
  },
  next: 0,
}
