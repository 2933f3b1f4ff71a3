import type { FileChanges } from './mutation.ts'

// Defects of calls, and of the threads that check and answer them, each put back. In each defect
// one caller's bytes cost another caller.

const HOSTILE = 'test/hostile'
const BOUNDS = ['test/server/edge/http/gateway/bounds.test.ts']
const CONNECTIONS = ['test/server/edge/http/gateway/connections.test.ts']
const CLIENTS = ['test/server/edge/http/gateway/clients.test.ts']
const FAULTS = ['test/server/edge/http/gateway/faults.test.ts']
const INTAKE = ['test/server/edge/intake/core-intake.test.ts']
const KEPT = ['test/server/edge/threads/kept-replies.test.ts']
const QUERIES = ['test/persistence/query/query-handle.test.ts']
const WORKERS = [`${HOSTILE}/worker-faults.test.ts`]

export const EDGE_CHANGES: readonly FileChanges[] = [
  {
    file: 'server/edge/intake/order/order-batch.ts',
    tests: [`${HOSTILE}/long-texts.test.ts`],
    changes: [
      [
        'only the trimmed client id is bounded',
        'clientOrderIdIssue(clientOrderId)',
        'clientOrderIdIssue(clientOrderId.trim())',
      ],
    ],
  },
  {
    file: 'server/edge/http/router.ts',
    tests: ['test/server/edge/http/router.test.ts'],
    changes: [
      [
        'a literal path has the methods of the name in its place',
        'if (target !== null || search.allow !== null) return target',
        'if (target !== null) return target',
      ],
    ],
  },
  {
    file: 'engine/wire/whole-text.ts',
    tests: ['test/engine/wire/whole-text.test.ts'],
    changes: [
      [
        'half a text is sent to another thread',
        "assert(bytes === Buffer.byteLength(text, 'utf8'),",
        'assert(bytes >= 0,',
      ],
    ],
  },
  {
    file: 'server/edge/http/gateway/gateway.ts',
    tests: FAULTS,
    changes: [
      [
        'a fault at the first bytes ends the process',
        'if (incoming !== null) this.fault(incoming, error)\n',
        'if (incoming !== null) throw error\n',
      ],
      [
        'a fault that comes later ends the process',
        'promise.then(next).catch((error: unknown) => this.fault(incoming, error))',
        'void promise.then(next)',
      ],
    ],
  },
  {
    file: 'server/edge/http/gateway/call-desk.ts',
    tests: FAULTS,
    changes: [
      [
        'a fault in a handler that comes later ends the process',
        ".catch((error: unknown) => this.#parts.onFault(incoming, error, 'http'))",
        '',
      ],
      [
        'a fault in a reply reaches the caller that settles it',
        'out = this.#encoded(incoming, entry, outcome)\n    } catch (error) {\n',
        'out = this.#encoded(incoming, entry, outcome)\n    } catch (error) {\n      throw error\n',
      ],
    ],
  },
  {
    file: 'server/edge/http/reply.ts',
    tests: [`${HOSTILE}/faults.test.ts`],
    changes: [
      [
        'a reply that cannot be written ends the process',
        'this.outcome = { error }\n      this.failed?.(error)\n',
        'throw error\n',
      ],
    ],
  },
  {
    file: 'server/edge/http/gateway/admission.ts',
    tests: BOUNDS,
    changes: [
      [
        'one address may have all bodies under way',
        "bulkheads.refusal('bodies', address)",
        "bulkheads.refusal('bodies', '')",
      ],
    ],
  },
  {
    file: 'server/edge/http/gateway/call-desk.ts',
    tests: BOUNDS,
    changes: [
      [
        'one profile may have all requests under way',
        "incoming.address === '' ? null : bulkheads.known(incoming, key)",
        'null',
      ],
    ],
  },
  {
    file: 'server/edge/http/gateway/gateway.ts',
    tests: BOUNDS,
    changes: [['a stop waits for bodies that never come', 'this.bodies.stop()\n', '\n']],
  },
  {
    file: 'server/edge/http/gateway/body-reader.ts',
    tests: BOUNDS,
    changes: [
      [
        'a body may begin as late as it may end',
        'sizeBytes === 0 ? Math.min(firstMs, deadlineMs) : deadlineMs',
        'sizeBytes === 0 ? deadlineMs : deadlineMs',
      ],
    ],
  },
  {
    file: 'server/edge/http/gateway/bulkheads.ts',
    tests: BOUNDS,
    changes: [
      [
        'a bulkhead has no bound per address',
        'own < shareOf(this.ofAddress, this.count - own)',
        'own >= 0',
      ],
      ['a bulkhead has no total bound', 'this.count >= this.size.all', 'this.count < 0'],
    ],
  },
  {
    file: 'server/edge/http/gateway/replies/unread-replies.ts',
    tests: BOUNDS,
    changes: [
      [
        'a long reply is copied for a client that does not read',
        'else return sendFrom(response, payload, 0)[1]',
        'else response.end(sendable(payload))',
      ],
      [
        'a joined reply that waits is where the next one is joined',
        'const whole = payload instanceof Joined ? payload : bytesOf(payload)',
        'const whole = payload instanceof Joined ? payload.within(joining) : bytesOf(payload)',
      ],
      [
        'a list that waits goes on from its start',
        'sendFrom(response, whole, offset)',
        'sendFrom(response, whole, 0)',
      ],
      [
        'a joined reply that waits is not counted',
        'const isShared = payload instanceof Uint8Array',
        "const isShared = typeof payload !== 'string'",
      ],
      [
        'unread replies of an address have no bound',
        "if (address !== '' && ofAddress > share) return 'full'\n",
        '\n',
      ],
    ],
  },
  {
    file: 'server/edge/http/gateway/replies/reply-heads.ts',
    tests: ['test/server/edge/http/gateway/caching.test.ts'],
    changes: [
      ['a reply of a proven caller is kept', 'cache.isPublic && out.status', 'out.status'],
      ['a refusal is kept like a reply', '?? cache.others', '?? cache.replies'],
      ['all codings have one tag', "['etag', tags[coding]]", "['etag', tags.identity]"],
      ['no reply says that it varies', 'this.#varyCoded]', "['x', 'y']]"],
      ['a route takes the head of another', ' && known.headers[0][1] === replies', ''],
      ['a caller that has a reply gets it again', " && !call.headers.has('if-none-match')", ''],
    ],
  },
  {
    file: 'server/edge/http/route.ts',
    tests: ['test/server/edge/http/gateway/caching.test.ts'],
    changes: [
      ['a shared reply is made for its caller', 'kept === null ? proven : null', 'proven'],
      [
        'a reply for one caller is shared',
        'spec.shared?.when(query, proven !== null) === true',
        'spec.shared',
      ],
    ],
  },
  {
    file: 'server/edge/http/caching/compressed.ts',
    tests: ['test/server/edge/http/caching/compressed.test.ts'],
    changes: [
      ['compressed replies have no bound in bytes', 'this.#bytes > bytesMax || ', ''],
      ['compressed replies have no bound in number', ' || this.#entries.size > entriesMax', ''],
      [
        'a reply in use is dropped like any other',
        'if (entry.isUsed) {',
        'if (entry.isBegun && !entry) {',
      ],
      ['any number is compressed at once', ' && this.#atWork < this.#bounds.atOnceMax', ''],
    ],
  },
  {
    file: 'server/edge/http/access/cors.ts',
    tests: ['test/server/edge/http/access/cors.test.ts'],
    changes: [
      ['a page of any origin may call', '?? this.#others)', '?? listed(origin))'],
      ['replies do not vary by origin', "origins !== '*'\n", 'false\n'],
    ],
  },
  {
    file: 'server/edge/http/gateway/connections.ts',
    tests: CONNECTIONS,
    changes: [
      [
        'connections have no bound',
        'if (count <= this.#max && !this.#isTooSoon(response)) return',
        'if (!this.#isTooSoon(response)) return',
      ],
      [
        'an address opens connections at any rate',
        'if (count <= this.#max && !this.#isTooSoon(response)) return',
        'if (this.count <= this.#max) return',
      ],
      [
        'connections are kept open until no other fits',
        'this.count > this.#max * CROWDED_PART',
        'this.count > this.#max',
      ],
    ],
  },
  {
    file: 'server/ops/descriptors.ts',
    tests: [`${HOSTILE}/descriptors.test.ts`],
    changes: [
      [
        'connections may take every descriptor',
        'Math.max(CONNECTIONS_MIN, Math.min(free, LIMITS.connectionsMax))',
        'LIMITS.connectionsMax',
      ],
    ],
  },
  {
    file: 'server/edge/http/gateway/replies/unread-replies.ts',
    tests: CLIENTS,
    changes: [
      ['no reply says how long its connection is kept', 'if (!close) text += KEEP_ALIVE\n', '\n'],
    ],
  },
  {
    file: 'server/edge/http/gateway/admission.ts',
    tests: CLIENTS,
    changes: [
      [
        'a compressed body is not refused',
        "hasBody && isEncoded(call) ? refuse('BODY_ENCODED') : null",
        'null',
      ],
    ],
  },
  {
    file: 'server/edge/http/gateway/entry.ts',
    tests: CLIENTS,
    changes: [
      [
        'a logout needs a content type',
        ' || call.body.length === 0) return false\n',
        ') return false\n',
      ],
    ],
  },
  {
    file: 'server/edge/http/request-text.ts',
    tests: [...CLIENTS, `${HOSTILE}/cancels.test.ts`],
    changes: [
      [
        'a repeated parameter with brackets is not read',
        'fields.get(name) ?? repeated(fields, name)',
        'fields.get(name)',
      ],
    ],
  },
  {
    file: 'server/edge/http/schema/printed-text.ts',
    tests: [...CLIENTS, `${HOSTILE}/cancels.test.ts`],
    changes: [
      [
        'null in an optional field is refused',
        'plain.holds(value) || (dropNulls(schema, value) && plain.holds(value)),',
        'plain.holds(value),',
      ],
    ],
  },
  {
    file: 'server/edge/threads/edge-requests.ts',
    tests: ['test/server/edge/threads/edge-threads.test.ts'],
    changes: [
      ['a request may come before a change that it knows of', '    beforeRequest()\n', ''],
      [
        'the core does not get the head of an order with an origin',
        "const NEEDS_CORE = ['origin', ",
        'const NEEDS_CORE = [',
      ],
      [
        'the core does not get the country of a caller',
        'regionHeader !== undefined && headers.has(regionHeader)',
        'regionHeader !== undefined && headers.size < 0',
      ],
      [
        'the verdict of each order of a list is that of the last',
        'results.push(new Uint8Array(result))',
        'results.push(result)',
      ],
    ],
  },
  {
    file: 'server/edge/threads/edge-requests.ts',
    tests: ['test/server/edge/threads/edge-threads.test.ts'],
    changes: [
      [
        'a forged order uses up the rate of the token that it names',
        'this.#tokens.take(callerKey, nowMs)',
        'this.#tokens.take(apiKey, nowMs)',
      ],
    ],
  },
  {
    file: 'server/edge/threads/edge-requests.ts',
    tests: ['test/hostile/framing.test.ts'],
    changes: [
      [
        'an order is placed although the bytes behind it ended its connection',
        'if (this.#open.get(id) !== incoming) continue',
        'if (incoming.isBounded) continue',
      ],
    ],
  },
  {
    file: 'server/edge/threads/edge-thread.ts',
    tests: ['test/hostile/members.test.ts'],
    changes: [['a socket that closed before it opened stays', 'if (!isGone) return', 'return']],
  },
  {
    file: 'server/edge/intake/replication.ts',
    tests: ['test/server/edge/threads/edge-threads.test.ts'],
    changes: [
      [
        'a new thread knows no tokens',
        'while (!isOver && performance.now() < untilMs) isOver = steps.next().done === true',
        'isOver = true',
      ],
    ],
  },
  {
    file: 'server/exchange/read-model/published.ts',
    tests: KEPT,
    changes: [
      [
        'an edge thread shows a book that has changed',
        '    published.version++\n    this.versions.raiseMarket(published.market.marketId)\n',
        '    published.version++\n',
      ],
      [
        'an edge thread lists a market that has ended',
        '    this.listVersion++\n    this.versions.raiseList()\n',
        '    this.listVersion++\n',
      ],
    ],
  },
  {
    file: 'server/edge/threads/kept-replies.ts',
    tests: KEPT,
    changes: [
      ['more bytes are kept than the bound', 'this.#bytes <= bytesMax && ', ''],
      ['a stopping exchange answers reads', '    if (this.#isStopped) return\n', ''],
      [
        'a reader that has the bytes gets them again',
        'if (tag !== null) return',
        'if (tag !== null && tags === null) return',
      ],
    ],
  },
  {
    file: 'server/edge/threads/edge-requests.ts',
    tests: KEPT,
    changes: [
      [
        'reads that an edge thread answers cost an address nothing',
        "if (limiter.take(address, 'public', atMs) > 0) return null",
        "if (limiter.take(address + atMs, 'public', atMs) > 0) return null",
      ],
      [
        'a page of another host gets a reply without its headers',
        "const NEEDS_CORE = ['origin', OWN_CALL_HEADER, 'upgrade', MIN_SEQ]",
        "const NEEDS_CORE = [OWN_CALL_HEADER, 'upgrade', MIN_SEQ]",
      ],
    ],
  },
  {
    file: 'server/edge/http/access/full-times.ts',
    tests: ['test/server/edge/http/access/full-times.test.ts'],
    changes: [
      [
        'two threads take the same token',
        'Atomics.compareExchange(this.#fullAtBits, this.#at, before, now) === before',
        'Atomics.exchange(this.#fullAtBits, this.#at, now) !== before - 1n',
      ],
      [
        'a new key has the debt of the one it displaced',
        'if (free < 0) this.#fullAtMs[at] = 0\n',
        '',
      ],
    ],
  },
  {
    file: 'server/edge/sockets/member.ts',
    tests: ['test/server/api/streams/shared-frames.test.ts'],
    changes: [
      [
        'a reader is slow for frames that it cannot have yet',
        'return port.unreadBytesOf(socket.conn.transport) > LIMITS.socketAheadBytesMax',
        'return true',
      ],
    ],
  },
  {
    file: 'server/edge/intake/core-intake.ts',
    tests: INTAKE,
    changes: [
      [
        'a result that does not decode is left out',
        'if (broke !== null) {',
        'if (broke !== null && next < 0) {',
      ],
      [
        'a batch that breaks half way leaves its last orders open',
        'for (let index = next; index < count; index++) onPart(',
        'for (let index = next; index < next; index++) onPart(',
      ],
      [
        'a verdict that is held back is read from memory that was reused',
        'results.push(this.#isPaused ? new Uint8Array(part) : part)',
        'results.push(part)',
      ],
      [
        'an order passes those that were held back before it',
        '        this.#held = [...held.slice(index), ...this.#held]\n        return',
        '        this.#held = [...this.#held, ...held.slice(index + 1)]\n        return',
      ],
    ],
  },
  {
    file: 'persistence/query/query-handle.ts',
    tests: [...QUERIES, ...WORKERS],
    changes: [
      [
        'the query that broke a thread is sent again',
        'const blamed = sent.find(({ id }) => id === workingId)',
        'const blamed = sent.find(({ id }) => id === -workingId)',
      ],
      [
        'a query thread that breaks is not replaced',
        'if (blamed === undefined && !isHindered && this.#deaths.tooMany(performance.now())) {',
        'if (!isHindered) {',
      ],
      [
        'the questions of others are lost with their thread',
        'if (open !== blamed) this.#queue.putFirst(open)',
        'if (open !== blamed) open.giveUp()',
      ],
    ],
  },
  {
    file: 'engine/thread/fair-queue.ts',
    tests: [
      'test/engine/thread/fair-queue.test.ts',
      'test/persistence/query/query-queue.test.ts',
      'test/persistence/query/query-fairness.test.ts',
    ],
    changes: [
      [
        'one group fills the queue for all',
        'largest.waiting > (own?.waiting ?? 0) + 1',
        'largest.waiting < (own?.waiting ?? 0)',
      ],
      [
        'whoever has had the most time is next',
        'entry.servedMs < least.servedMs) least = entry',
        'entry.servedMs > least.servedMs) least = entry',
      ],
      [
        'a group pays for its number of questions, not for their time',
        'const moreMs = Math.max(costMs, LEAST_MS) - paidMs',
        'const moreMs = LEAST_MS - paidMs',
      ],
      [
        'a group that was idle saves up time',
        'entry.servedMs = Math.max(entry.servedMs, this.#nowMs)',
        'entry.servedMs += 0',
      ],
      [
        'a group pays nothing in advance',
        'const paidMs = Math.max(group.lastMs, LEAST_MS)',
        'const paidMs = LEAST_MS',
      ],
    ],
  },
  {
    file: 'persistence/query/query-queue.ts',
    tests: ['test/persistence/query/query-fairness.test.ts'],
    changes: [
      [
        'a login waits behind the reads of everybody',
        'return this.#urgent.shift() ?? this.#prompt.next() ?? this.#others.next()',
        'return this.#urgent.shift() ?? this.#others.next() ?? this.#prompt.next()',
      ],
    ],
  },
  {
    file: 'server/api/reads/sliced-work.ts',
    tests: ['test/server/api/reads/sliced-work.test.ts'],
    changes: [
      [
        'long work is done in one event-loop tick',
        'while (this.#spentMs < this.#sliceMs) {',
        'while (this.#spentMs < this.#sliceMs || this.#jobs.count > 0) {',
      ],
      [
        'the work of one caller keeps the slice until it is done',
        'Math.min(leftMs, this.#sliceMs / PARTS)',
        'Math.max(leftMs, 1e9)',
      ],
      ['work goes on for a caller that is gone', 'if (job.isGone?.() === true) {', 'if (false) {'],
    ],
  },
  {
    file: 'server/edge/http/access/charges.ts',
    tests: ['test/server/edge/http/access/charges.test.ts'],
    changes: [
      [
        'a profile does not pay for what its calls cost',
        'if (key !== null) profileLimiter',
        'if (key === null) profileLimiter',
      ],
      ['small costs do not add up', 'this.#tokens += tokens', 'this.#tokens = tokens'],
    ],
  },
  {
    file: 'persistence/query/query-handle.ts',
    tests: QUERIES,
    changes: [
      [
        'a full queue refuses every new question',
        'const other = this.#queue.giveWayTo(slice)',
        'const other = this.#queue.giveWayTo(slice) && undefined',
      ],
    ],
  },
  {
    file: 'server/api/reads/private-reads.ts',
    tests: ['test/server/api/reads/private-reads.test.ts'],
    changes: [
      [
        'a profile has any number of reads under way',
        'profileId !== 0 && others >= underWayMax(profileId)',
        'profileId !== 0 && others < 0',
      ],
    ],
  },
]
