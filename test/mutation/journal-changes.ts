import type { FileChanges } from './mutation.ts'

// What is durable, what recovery finds, and what stops a start.

const FOLDER = 'test/persistence'
const JOURNAL = [
  `${FOLDER}/journal/damage.test.ts`,
  `${FOLDER}/journal/journal.test.ts`,
  `${FOLDER}/journal/durability.test.ts`,
]
const CHECKPOINTS = [`${FOLDER}/journal/checkpoints.test.ts`]
const SEGMENTS = [`${FOLDER}/journal/segments.test.ts`]
const FOLLOWER = [`${FOLDER}/follower/follower.test.ts`]

export const JOURNAL_CHANGES: readonly FileChanges[] = [
  {
    file: 'persistence/journal/sqlite-journal.ts',
    tests: JOURNAL,
    changes: [
      ['the head is not written', 'this.#head.write(this.#tail)\n', '\n'],
      [
        'the head is written before the commit',
        'this.#add(firstSeq, lastSeq, records, checksum)\n',
        'this.#head.write({ seq: lastSeq, checksum })\n' +
          '      this.#add(firstSeq, lastSeq, records, checksum)\n',
      ],
      ['a second writer goes on', 'if (found.seq !== tail.seq ||', 'if (found.seq < tail.seq &&'],
    ],
  },
  {
    file: 'persistence/journal/sqlite-reader.ts',
    tests: JOURNAL,
    changes: [
      [
        'a checksum is not compared',
        'if (!same(chain(this.#newMac(), previous.checksum, batch), batch.checksum)) {',
        'if (batch.records.length === 0) {',
      ],
      [
        'a gap is accepted',
        'if (batch.firstSeq !== expected) {',
        'if (batch.firstSeq < expected) {',
      ],
      [
        'a record may carry any seq',
        'if (recordSeq(record) !== seq) this',
        'if (recordSeq(record) < 0) this',
      ],
      [
        'a reader starts at the batch after the one it needs',
        'this.#holding.get(holding.firstSeq - 1)',
        'this.#holding.get(holding.lastSeq)',
      ],
    ],
  },
  {
    file: 'persistence/journal/sqlite-journal.ts',
    tests: SEGMENTS,
    changes: [
      [
        'a segment of another journal is listed',
        'if (!isOurs || segment.firstSeq !== this.#sealedSeq + 1) {',
        'if (segment.firstSeq === 0) {',
      ],
      [
        'rows leave the journal before a segment has them',
        'this.#removable.all(this.#sealedSeq)',
        'this.#removable.all(this.#tail.seq - 1)',
      ],
      ['free pages stay in the file', 'this.#isClean = !this.#shrink()', 'this.#isClean = true'],
    ],
  },
  {
    file: 'persistence/journal/segments/segment-file.ts',
    tests: SEGMENTS,
    changes: [
      ['a changed index is read', 'if (!isOurs) this', 'if (end.length === 0) this'],
      [
        'a changed block is read',
        'if (!same(tail.checksum, block.checksum)) this',
        'if (tail.seq !== block.lastSeq) this',
      ],
      [
        'another segment is read in the place of the listed one',
        'if (isListed && same(checksum, listed.checksum)) return file\n',
        'if (isListed || checksum.length > 0) return file\n',
      ],
    ],
  },
  {
    file: 'persistence/journal/segments/seal-segment.ts',
    tests: SEGMENTS,
    changes: [
      [
        'what no snapshot covers is sealed',
        'shape.lastSeq > throughSeq || shape.ms >= beforeMs',
        'shape.ms >= beforeMs',
      ],
      [
        'what is too young is sealed',
        'shape.lastSeq > throughSeq || shape.ms >= beforeMs',
        'shape.lastSeq > throughSeq',
      ],
    ],
  },
  {
    file: 'persistence/journal/sqlite-journal.ts',
    tests: CHECKPOINTS,
    changes: [
      [
        'a long WAL never starts again',
        "if (isAlmostCopied && this.#walBytes >= LONG_BYTES) return this.#copy('PASSIVE')\n",
        '\n',
      ],
      ['no checkpoint is requested', 'if (call.request()) this', 'if (call.isRequested) this'],
    ],
  },
  {
    file: 'persistence/journal/thread/checkpoint.worker.ts',
    tests: CHECKPOINTS,
    changes: [
      [
        'the checkpoint thread ends at once',
        'while (call.waitForAsk()) {',
        'while (call.isRequested) {',
      ],
    ],
  },
  {
    file: 'persistence/journal/journal-chain.ts',
    tests: JOURNAL,
    changes: [['a checksum covers only its own batch', 'update(before).', '']],
  },
  {
    file: 'persistence/journal/journal-end.ts',
    tests: JOURNAL,
    changes: [
      [
        'a lost tail is accepted',
        "if (head.durability === 'normal') return",
        'if (head.seq > 0) return',
      ],
      [
        'a head of another journal is accepted',
        'if (checksum === null || !same(checksum, head.checksum)) {',
        'if (checksum === null) {',
      ],
      [
        'a missing head is accepted',
        'if (tail.seq === 0) return { tail, lostRecords: 0 }',
        'if (tail.seq >= 0) return { tail, lostRecords: 0 }',
      ],
      [
        'a missing journal counts as a new folder',
        'if (seq === 0) return null',
        'if (seq >= 0) return null',
      ],
    ],
  },
  {
    file: 'persistence/file-identity.ts',
    tests: [`${FOLDER}/journal/files.test.ts`],
    changes: [
      [
        'writing goes on in a replaced file',
        'now?.ino === inode && now.dev === device',
        'now !== undefined',
      ],
      [
        'writing goes on in a deleted file',
        'now?.ino === inode && now.dev === device',
        'now?.ino !== 0',
      ],
    ],
  },
  {
    file: 'persistence/database.ts',
    tests: JOURNAL,
    changes: [
      [
        'a full commit does not wait for the disk',
        "=== 'full' ? 'FULL' : 'NORMAL'",
        "=== 'full' ? 'NORMAL' : 'NORMAL'",
      ],
      ['a file of a newer version is opened', 'if (version > newest) {', 'if (version < 0) {'],
      ['others may read the files', "openSync(path, 'ax', 0o600)", "openSync(path, 'ax', 0o644)"],
    ],
  },
  {
    file: 'persistence/journal/journal-head.ts',
    tests: JOURNAL,
    changes: [
      [
        'a damaged head is accepted',
        'if (timingSafeEqual(macOf(bytes, newMac()), bytes.subarray(MAC_AT))) return decode(bytes)',
        'return decode(bytes)',
      ],
      [
        'a normal run is taken for a full one',
        "head.durability === 'full' ? 0 : 1",
        "head.durability === 'full' ? 0 : 0",
      ],
      ['the head forgets the checksum', 'bytes.set(head.checksum, 16)\n', '\n'],
    ],
  },
  {
    file: 'persistence/snapshot/checked-file.ts',
    tests: [`${FOLDER}/journal/forgery.test.ts`],
    changes: [
      [
        'a snapshot of another key is accepted',
        'timingSafeEqual(this.#mac.digest(), found)',
        'this.#mac.digest().length === found.length',
      ],
    ],
  },
  {
    file: 'persistence/snapshot/names-file.ts',
    tests: [`${FOLDER}/snapshot/names-file.test.ts`],
    changes: [
      [
        'names of another snapshot are accepted',
        'if (Buffer.compare(file.checkEnd(), saved.mac) !== 0) {',
        'if (file.checkEnd().length !== saved.mac.length) {',
      ],
    ],
  },
  {
    file: 'persistence/keyed-folder.ts',
    tests: [`${FOLDER}/journal/forgery.test.ts`],
    changes: [
      ['MACs use an empty key', "hkdfSync('sha256', macKey, ''", "hkdfSync('sha256', '', ''"],
    ],
  },
  {
    file: 'persistence/journal/thread/batch-buffer.ts',
    tests: JOURNAL,
    changes: [
      [
        'a batch takes more than its capacity',
        'this.#used + recordBytes <= this.#bytes.length',
        'this.#used <= this.#bytes.length',
      ],
      [
        'a batch keeps committed records',
        '    this.#used = 0\n    this.#count = 0\n  }',
        '    this.#count = 0\n  }',
      ],
      [
        'a record may be left out of a batch',
        'assert(seq === this.#lastSeq + 1,',
        'assert(seq > 0,',
      ],
    ],
  },
  {
    file: 'persistence/journal/thread/journal-loop.ts',
    tests: JOURNAL,
    changes: [
      [
        'a stop does not commit waiting records',
        '      incoming.free()\n      if (this.#batch.count > 0) this',
        '      incoming.free()\n      if (this.#batch.count > 0 && !isStopping) this',
      ],
    ],
  },
  {
    file: 'persistence/journal/thread/commit-report.ts',
    tests: JOURNAL,
    changes: [
      [
        'a commit is reported before it is done',
        '    journal.commit(lastSeq, records)\n',
        '    setImmediate(() => journal.commit(lastSeq, records))\n',
      ],
      [
        'a commit is reported one seq too far',
        'this.#f64s[REPORT.seq] = lastSeq\n',
        'this.#f64s[REPORT.seq] = lastSeq + 1\n',
      ],
    ],
  },
  {
    file: 'persistence/journal/thread/commits.ts',
    tests: JOURNAL,
    changes: [
      ['a record may be appended out of order', 'seq === this.appendedSeq + 1,', 'seq > 0,'],
    ],
  },
  {
    file: 'persistence/snapshot/recovery.ts',
    tests: [`${FOLDER}/journal/durability.test.ts`, ...JOURNAL],
    changes: [
      [
        'verify runs beside a server',
        ': DataLock.share(dataDir)',
        ': DataLock.share(`\x24{dataDir}.lock`)',
      ],
    ],
  },
  {
    file: 'persistence/verify-folder.ts',
    tests: [`${FOLDER}/journal/durability.test.ts`],
    changes: [
      [
        'a broken invariant is not found by verify',
        'if (broken !== null) {',
        'if (broken === "") {',
      ],
    ],
  },
  {
    file: 'persistence/follower/follower.ts',
    tests: FOLLOWER,
    changes: [
      [
        'the tables run ahead of the durable journal',
        'if (this.#waiting.lastSeq > targetSeq) return null\n',
        '\n',
      ],
      [
        'rows are written twice after a restart',
        'const writes = batch.firstSeq > this.#readSeq',
        'const writes = batch.firstSeq > 0',
      ],
      ['the tables do not store their seq', 'this.#apply.run(last.lastSeq, last.checksum)\n', '\n'],
    ],
  },
  {
    file: 'persistence/follower/tables/orders/orders.ts',
    tests: FOLLOWER,
    changes: [
      [
        'an order without a trace has a row',
        'if (result === RESULT.WOULD_CROSS || result === RESULT.NOT_PLACED) return\n',
        '\n',
      ],
      ['a market buy has shares left', 'bySpend ? 0 : leftRaw', 'bySpend ? leftRaw : leftRaw'],
      [
        'a killed order that traded is unmatched',
        'RESULT.KILLED && filledRaw === 0',
        'RESULT.KILLED',
      ],
    ],
  },
  {
    file: 'persistence/follower/tables/orders/orders.ts',
    tests: [`${FOLDER}/query/order-reads.test.ts`],
    changes: [
      [
        'an order that ended is listed as live',
        'else if (status !== LIVE) this',
        'else if (status === LIVE) this',
      ],
    ],
  },
  {
    file: 'persistence/follower/tables/orders/order-names.ts',
    tests: [`${FOLDER}/follower/tables/orders/order-names.test.ts`],
    changes: [
      ['a name that moved stays', 'if (changes > 0) this', 'if (changes < 0) this'],
      ['a move that was cut off is over', 'name: Math.min(...least)', 'name: NAMES_END'],
      ['names move too late', 'const COMMANDS_PER_STEP = 256', 'const COMMANDS_PER_STEP = 8192'],
    ],
  },
  {
    file: 'persistence/query/read/orders/user-orders.ts',
    tests: [`${FOLDER}/follower/tables/orders/order-names.test.ts`],
    changes: [
      [
        'a list ends with the first layer that fills it',
        'if (endSeq <= leastSeq || endSeq <= prunedSeq) break',
        'if (found.size >= limit) break',
      ],
    ],
  },
  {
    file: 'persistence/follower/tables/orders/orders.ts',
    tests: [`${FOLDER}/follower/settlements.test.ts`],
    changes: [
      [
        'an order with a reversed fill ends as matched',
        'status = iif(undone_raw > 0 AND',
        'status = iif(undone_raw < 0 AND',
      ],
    ],
  },
  {
    file: 'persistence/follower/tables/settlements.ts',
    tests: [`${FOLDER}/follower/settlements.test.ts`],
    changes: [
      [
        'an order whose trade failed stays matched',
        'status = iif(status =',
        'status = iif(status = -',
      ],
    ],
  },
  {
    file: 'persistence/query/read/orders/user-orders.ts',
    tests: ['test/server/api/admin/settlement.test.ts'],
    changes: [
      ['a reversed fill of a live order is open again', 'iif(status =', 'iif(status = 9 +'],
      ['a reversed fill of an ended order counts as filled', '0, undone_raw)', '0, 0)'],
    ],
  },
  {
    file: 'persistence/follower/tables/trades.ts',
    tests: FOLLOWER,
    changes: [
      ['a trade adds to the next trade', '    this.#sharesRaw = 0\n', '\n'],
      [
        'a sale is stored rounded up',
        'takerLegRaw(order.side === SIDE.BUY,',
        'takerLegRaw(order.side < 2,',
      ],
    ],
  },
  {
    file: 'persistence/follower/read-database.ts',
    tests: FOLLOWER,
    changes: [
      [
        'read tables of another journal are kept',
        'checksum !== null && Buffer.compare(checksum, applied.checksum) === 0',
        'checksum !== null',
      ],
    ],
  },
  {
    file: 'persistence/seal.ts',
    tests: [`${FOLDER}/seal.test.ts`],
    changes: [
      [
        'two seals share a nonce',
        'const nonce = randomBytes(NONCE_BYTES)',
        'const nonce = Buffer.alloc(NONCE_BYTES)',
      ],
      ['all uses share one key', 'label}`, KEY', 'label.slice(99)}`, KEY'],
      [
        'a sealed secret opens for every owner',
        'return `token:\x24{tokenId}:\x24{profileId}`',
        "return 'folder-key'",
      ],
      ['a short tag is enough', 'TAG_BYTES = 16', 'TAG_BYTES = 4'],
    ],
  },
  {
    file: 'persistence/server-key.ts',
    tests: [`${FOLDER}/seal.test.ts`],
    changes: [['others may read the key', 'fchmodSync(file, 0o600)', 'fchmodSync(file, 0o644)']],
  },
  {
    file: 'persistence/folder-key.ts',
    tests: [`${FOLDER}/seal.test.ts`],
    changes: [
      ['another key is accepted', 'if (isEmpty) return null\n', 'if (!isEmpty) return null\n'],
      [
        'the folder key is the server key',
        'const folderKey = randomBytes(KEY_BYTES)',
        'const folderKey = serverKey',
      ],
    ],
  },
  {
    file: 'persistence/data-lock.ts',
    tests: [`${FOLDER}/data-lock.test.ts`],
    changes: [
      ['a lock that cannot be written counts', '; PRAGMA user_version = 1', ''],
      ['others may open the lock', 'if (closed === mode) return', 'if (closed <= mode) return'],
    ],
  },
  {
    file: 'persistence/database.ts',
    tests: [`${FOLDER}/data-lock.test.ts`],
    changes: [['an unwritable database is opened', '      proveWritable(connection)\n', '']],
  },
]
