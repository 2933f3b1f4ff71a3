import type { FileChanges } from './mutation.ts'

// Gates, orders between admission and end, deadlines, accounts, markets, the state hash.

const CORE = 'test/engine/core'
const GOLDEN = 'test/golden/golden.test.ts'
const GATES = [
  `${CORE}/decide/gates.test.ts`,
  `${CORE}/decide/accounts.test.ts`,
  `${CORE}/book/capacity.test.ts`,
]

export const GATE_CHANGES: readonly FileChanges[] = [
  {
    file: 'engine/domain/fair-share.ts',
    tests: ['test/engine/domain/fair-share.test.ts', `${CORE}/decide/shared-tables.test.ts`],
    changes: [
      ['a share never shrinks', 'rule.most / 2 ** halvings', 'rule.most'],
      ['an owner has no least share', 'Math.max(rule.floor, ', 'Math.max(0, '],
      ['a sub-account is an owner of its own', 'if (partner !== owner) addTo', 'if (false) addTo'],
      ["a partner's own rows do not count", 'this.of(partner) + (', '0 + ('],
      ['rows of one call count as one', 'own + rows > shareOf', 'own + 1 > shareOf'],
    ],
  },
  {
    file: 'engine/core/decide/decide.ts',
    tests: GATES,
    changes: [
      [
        'an order ends with the second before its expiration',
        '(expirationSec + 1) * MS_PER_SEC',
        'expirationSec * MS_PER_SEC',
      ],
      [
        'a market trades one millisecond past its deadline',
        'nowMs < market.deadlineMs',
        'nowMs <= market.deadlineMs',
      ],
      [
        'a receive window ends a millisecond early',
        'ageMs <= request.recvWindowMs',
        'ageMs < request.recvWindowMs',
      ],
      ['an order from far in the future is taken', 'ageMs >= -clockToleranceMs', 'ageMs >= -1e9'],
      [
        'an order is taken in the millisecond it expires',
        'expiresAtMs(expirationSec) <= nowMs',
        'expiresAtMs(expirationSec) < nowMs',
      ],
      [
        'an order for another profile is taken',
        'if (request.ownerId !== request.order.accountId) return REJECT.OWNER_MISMATCH\n',
        '\n',
      ],
      [
        'an order of another maker is taken',
        'if (!request.makerIsCaller) return REJECT.OWNER_MISMATCH\n',
        '\n',
      ],
      ['a locked market takes orders', 'takesOrders(market.status) && ', ''],
      [
        'a signed rate above the effective one is taken',
        'feeBps !== request.signedFeeBps',
        'feeBps > request.signedFeeBps',
      ],
      ['a market without fees charges one', 'if (!market.feeEnabled) return null\n', '\n'],
      [
        'a signature is not checked',
        'if (!request.signatureOk) return',
        'if (request.ownerId < 0) return',
      ],
      [
        'a revoked token signs orders',
        'if (token === undefined) return REJECT.TOKEN_REVOKED',
        'if (token === undefined) return 0',
      ],
      [
        'a sell may exceed the free shares by a raw unit',
        '>= requiredRaw ? null : REJECT.INSUFFICIENT_SHARES',
        '>= requiredRaw - 1 ? null : REJECT.INSUFFICIENT_SHARES',
      ],
      [
        'a buy may exceed the free collateral by a raw unit',
        '>= requiredRaw ? null : REJECT.INSUFFICIENT_COLLATERAL',
        '>= requiredRaw - 1 ? null : REJECT.INSUFFICIENT_COLLATERAL',
      ],
    ],
  },
  {
    file: 'engine/core/decide/cancel.ts',
    tests: GATES,
    changes: [
      [
        'anyone cancels any order',
        'orders.accountOf(slot) !== accountId) return REJECT.ORDER_NOT_FOUND\n  return whyNotNow',
        'orders.accountOf(slot) < 0) return REJECT.ORDER_NOT_FOUND\n  return whyNotNow',
      ],
    ],
  },
  {
    file: 'engine/core/decide/accounts.ts',
    tests: GATES,
    changes: [
      [
        'a token is revoked by another profile',
        'token?.profileId === profileId ?',
        'token !== undefined ?',
      ],
      [
        'a token has scopes its profile lacks',
        'profile.scopes.includes(scope)',
        'scope.length > 0',
      ],
    ],
  },
  {
    file: 'engine/core/decide/markets.ts',
    tests: GATES,
    changes: [
      ['exchanges and adapters have no bound', 'return REJECT.VENUE_LIMIT', 'return null'],
      ['a market pays nothing to anyone', 'whole && sum > 0', 'whole && sum >= 0'],
      ['a slug is given twice', 'bySlug(slug) !== undefined', 'bySlug(slug) === null'],
    ],
  },
  {
    file: 'engine/core/orders/order-table.ts',
    tests: [
      `${CORE}/orders/order-table.test.ts`,
      `${CORE}/book/capacity.test.ts`,
      `${CORE}/reference-model.test.ts`,
      GOLDEN,
    ],
    changes: [
      [
        'a slot never retires',
        'if (this.generationOf(slot) !== GENERATION_LAST) this.#chainFree',
        'this.#chainFree',
      ],
      [
        'a snapshot gives a retired slot out again',
        ' || this.generationOf(slot) === GENERATION_LAST) continue',
        ') continue',
      ],
      [
        'a slot may skip a generation',
        'order.generation === this.generationOf(slot) + 1',
        'order.generation > this.generationOf(slot)',
      ],
      [
        'an older generation is live',
        '!== FREE && this.generationOf(slot) === generation\n',
        '!== FREE && this.generationOf(slot) >= generation\n',
      ],
      ['a slot keeps the client id of its last order', 'this.#clientIds.remove(slot)\n', '\n'],
      ['an arrival starts with the fills of the last one', '    f64s[f64 + 3] = 0\n', '\n'],
      ['an ended order counts as open', 'this.live.remove(this.accountOf(slot))\n', '\n'],
      [
        'an order ends with a reserve',
        'this.reservedRawOf(slot) === 0,',
        'this.reservedRawOf(slot) >= 0,',
      ],
    ],
  },
  {
    file: 'engine/core/cells/key-set.ts',
    tests: [`${CORE}/orders/seen-orders.test.ts`],
    changes: [
      ['half of a key is enough', 'found === high && halves[at + 1] === low', 'found === high'],
      ['a removed key leaves a gap', '      hole = at\n', '\n'],
      [
        'a set that grew forgets its keys',
        'if (halves[at] !== 0) this.#put(',
        'if (halves[at] === 1) this.#put(',
      ],
    ],
  },
  {
    file: 'engine/core/orders/seen-orders.ts',
    tests: [`${CORE}/orders/seen-orders.test.ts`, GOLDEN],
    changes: [
      [
        'an older generation is not searched',
        'if (setOf(keys, isId).has(high, low)) return SEEN.YES',
        '',
      ],
      ['a hash is taken for a client id', 'isId ? keys.clientIds : keys.hashes', 'keys.hashes'],
      [
        'the filters are not checked',
        'this.#filters?.mayHold(high, low)',
        'this.#filters === undefined',
      ],
      ['a generation is dropped early', 'older[0].lastSeq <= seq', 'older[0].lastSeq <= seq + 1'],
      [
        'an order of a dropped generation is looked up in a younger one',
        'if (seq <= this.#forgottenSeq) return null',
        '',
      ],
    ],
  },
  {
    file: 'engine/core/orders/seen-filter.ts',
    tests: [`${CORE}/orders/seen-orders.test.ts`],
    changes: [
      [
        'the last cell of a bucket is not searched',
        'cells[cell + 3] === mark',
        'cells[cell + 2] === mark',
      ],
    ],
  },
  {
    file: 'engine/core/orders/seen-filters.ts',
    tests: [`${CORE}/orders/seen-filters.test.ts`],
    changes: [
      [
        'a filter is dropped while it has young keys',
        'this.#filters[oldest + 1].startMs <= nowMs - windowMs',
        'true',
      ],
      ['memory is not bounded', 'isRecent || bytes <= bytesMax', 'true'],
      ['a reader keeps dropped filters', 'this.drop(oldestSeq)', ''],
    ],
  },
  {
    file: 'persistence/follower/remembered-orders.ts',
    tests: ['test/hostile/duplicates.test.ts'],
    changes: [['live orders are dropped', 'yield* this.#clearing.keepLive(beforeSeq)', '']],
  },
  {
    file: 'engine/core/markets/deadlines.ts',
    tests: [`${CORE}/markets/deadlines.test.ts`],
    changes: [
      [
        'removing a slot without a deadline removes that of another',
        'if (slot >= places.length) return\n',
        '\n',
      ],
      [
        'a later deadline rises above an earlier one',
        'this.#due[parent] <= dueMs',
        'this.#due[parent] >= dueMs',
      ],
      [
        'the entry that replaces a removed deadline does not sink',
        'this.#due[child] >= dueMs',
        'dueMs > 0',
      ],
      [
        'the entry that replaces a removed deadline does not rise',
        'if (this.#slots[index] === moved) this.#rise(index, moved, dueMs)\n',
        '\n',
      ],
    ],
  },
  {
    file: 'engine/core/markets/catalogue.ts',
    tests: [`${CORE}/money/ledger.test.ts`, GOLDEN],
    changes: [
      [
        'a market may trade again once resolved',
        'STATUS_CHANGES[market.status].includes(status),',
        'status.length > 0,',
      ],
      [
        'a change of status keeps the old time',
        'updatedMs = nowMs\n    this.#note',
        'book += 0\n    this.#note',
      ],
      [
        'the hash leaves out the conditions',
        'markYesTicks: _m, ...market',
        'markYesTicks: _m, conditionRaw: _raw, ...market',
      ],
    ],
  },
  {
    file: 'engine/core/decide/partners.ts',
    tests: [`${CORE}/accounts/partners.test.ts`],
    changes: [
      [
        'a partner takes over an account that exists',
        'REJECT.OWN_ADDRESS : REJECT.ACCOUNT_TAKEN',
        'REJECT.OWN_ADDRESS : 0',
      ],
      ['a partner is its own sub-account', 'REJECT.OWN_ADDRESS : REJECT', '0 : REJECT'],
      ['sub-accounts have no bound', 'made < share ? null', 'true ? null'],
      [
        'any partner acts for any sub-account',
        'if (made === undefined || made.partnerId !== partnerId) return',
        'if (made === undefined) return',
      ],
    ],
  },
  {
    file: 'engine/core/accounts/withdrawal-addresses.ts',
    tests: ['test/server/api/accounts/wallets.test.ts'],
    changes: [
      [
        'an address with other capital letters is another address',
        'each.address.toLowerCase() === wanted',
        'each.address === wanted',
      ],
      [
        'all addresses but the removed one come off the list',
        'each !== removed',
        'each === removed',
      ],
    ],
  },
  {
    file: 'engine/core/accounts/partners.ts',
    tests: [`${CORE}/accounts/partners.test.ts`],
    changes: [
      ['a spender is approved twice', '!known.approved.includes(each)', 'true'],
      ['an approval is mined before its time', 'seq <= throughSeq ? [id]', 'seq > 0 ? [id]'],
      [
        'the state hash leaves out approvals',
        'sealedKey !== null, approved]',
        'sealedKey !== null]',
      ],
      ['the state hash leaves out server wallets', 'sealedKey !== null, approved]', 'approved]'],
      [
        'only the first sub-account is listed',
        'else siblings.push(made.profileId)',
        'else siblings.push()',
      ],
    ],
  },
  {
    file: 'engine/core/decide/profiles.ts',
    tests: GATES,
    changes: [
      [
        'a username is given twice',
        'holder.profileId !== before?.profileId',
        'holder.profileId < 0',
      ],
    ],
  },
  {
    file: 'engine/core/accounts/accounts.ts',
    tests: [`${CORE}/accounts/accounts.test.ts`, `${CORE}/decide/accounts.test.ts`, GOLDEN],
    changes: [
      [
        'a profile has one session too many',
        'count >= LIMITS.sessionsPerProfileMax',
        'count > LIMITS.sessionsPerProfileMax',
      ],
      ['a login may be used twice', 'this.burnNonce(nonce.text, nonce.expiresMs)\n', '\n'],
      [
        'a nonce is free before it expired',
        'if (expiresMs > nowMs || left',
        'if (expiresMs > nowMs + 10 || left',
      ],
      ['a revoked token stays', 'this.#tokens.delete(tokenId)\n', '\n'],
    ],
  },
  {
    file: 'engine/core/accounts/profiles.ts',
    tests: [`${CORE}/accounts/accounts.test.ts`, `${CORE}/state/state-hash.test.ts`],
    changes: [
      [
        'a username that was given up stays taken',
        'if (username !== null) this.#byUsername.add(profileId)\n',
        'this.#byUsername.add(profileId)\n',
      ],
      [
        'the fee cap works as a floor',
        'Math.min(profile.rank.feeRateBps',
        'Math.max(profile.rank.feeRateBps',
      ],
      ['the hash leaves out the details of profiles', ', this.#textDigest]', ']'],
    ],
  },
  {
    file: 'engine/core/state/state-hash.ts',
    tests: [`${CORE}/state/state-hash.test.ts`, GOLDEN],
    changes: [
      [
        'the hash leaves out the reserves of orders',
        '    hashedFields.add(orders.reservedRawOf(slot))\n',
        '',
      ],
      ['the hash leaves out the owners of resting orders', '    rows.add(owner)\n', ''],
      [
        'the hash depends on slots',
        'slots[placeOf(orders.seqOf(slot), seqs)] = slot',
        'slots[--count] = slot',
      ],
      ['the hash leaves out the seen orders', ', seen.folded]', ']'],
      [
        'the hash leaves out client order ids',
        'yield [orders.seqOf(slot), clientId]',
        'yield [orders.seqOf(slot)]',
      ],
    ],
  },
]
