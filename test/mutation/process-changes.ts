import type { FileChanges } from './mutation.ts'

// Fixed defects, each put back: what stays in memory, what the operator sees, how the process
// starts and stops, and what takes too long for others.

const LOG = ['test/server/ops/log.test.ts']
const LISTS = ['test/server/exchange/read-model/market-lists.test.ts']
const CLOCK = ['test/server/exchange/sequencer/clock.test.ts']
const START = ['test/server/start/start.test.ts']
const READY = ['test/server/ops/readiness.test.ts']
const MARKETS = ['test/server/api/markets/markets.test.ts']
const VERIFY = ['test/server/cli/folder/verify.test.ts']

export const PROCESS_CHANGES: readonly FileChanges[] = [
  {
    file: 'engine/core/accounts/accounts.ts',
    tests: ['test/server/api/accounts/profile-memory.test.ts'],
    changes: [
      ['sessions that expired are kept', 'this.#sessions.expire(nowMs, EXPIRED_MAX)\n', '\n'],
      ['nonces that expired are kept', 'this.#burnedNonces.delete(text)\n', '\n'],
    ],
  },
  {
    file: 'server/edge/intake/intake-profile.ts',
    tests: ['test/server/api/accounts/profile-memory.test.ts'],
    changes: [
      [
        'the intake keeps every profile',
        'if (made === undefined && isIdle(accounts, profileId)) return null\n',
        '\n',
      ],
    ],
  },
  {
    file: 'server/ops/audit.ts',
    tests: ['test/server/api/admin/admin-profiles.test.ts'],
    changes: [
      [
        'a caller without a proof writes the log',
        'if (operator === undefined) return null\n',
        '\n',
      ],
    ],
  },
  {
    file: 'server/ops/logging/log-output.ts',
    tests: LOG,
    changes: [
      [
        'a log that is not read stops the exchange',
        'write(this.#fd, this.#rest, (error, writtenBytes) => this.#wrote(error, writtenBytes))',
        'this.#wrote(null, writeSync(this.#fd, this.#rest))',
      ],
      [
        'lines of the log wait without a bound',
        'this.#waitingBytes + this.#rest.length + bytes.length > this.#bytesMax',
        'this.#waitingBytes < 0',
      ],
    ],
  },
  {
    file: 'server/api/system/system.ts',
    tests: ['test/server/ops/listeners.test.ts'],
    changes: [
      [
        'anybody reads the metrics of the public listener',
        "export const metrics = metricsFor(admin('read'))",
        'export const metrics = metricsFor(open())',
      ],
    ],
  },
  {
    file: 'server/ops/metrics.ts',
    tests: ['test/server/ops/ops.test.ts'],
    changes: [
      [
        'each reading of the metrics adds to them',
        'const collect = function (this: PromClient.Counter): void {\n      this.reset()\n',
        'const collect = function (this: PromClient.Counter): void {\n',
      ],
      [
        'the text of the metrics is made for each reader',
        'nowMs - this.#kept.madeMs >= this.#keptMs',
        'nowMs >= this.#kept.madeMs',
      ],
    ],
  },
  {
    file: 'server/exchange/read-model/lists/market-lists.ts',
    tests: LISTS,
    changes: [
      [
        'the list of slugs is encoded for each reader',
        'if (this.#slugs?.listVersion === listVersion) return this.#slugs.bytes\n',
        '\n',
      ],
      [
        'a market is encoded for each reader',
        'known?.version === published.version && known.isExpired === isExpired',
        'known !== undefined && known.version < 0',
      ],
    ],
  },
  {
    file: 'server/exchange/read-model/lists/ordered-list.ts',
    tests: ['test/server/exchange/read-model/ordered-lists.test.ts'],
    changes: [
      [
        'a market stays where it stood in a list',
        'for (const slot of slots) this.#clear(slot)\n',
        '\n',
      ],
      [
        'a page by cursor begins with the market of its cursor',
        'const from = this.#firstAfter(place)\n',
        'const from = this.#firstAfter(place) - 1\n',
      ],
    ],
  },
  {
    file: 'server/exchange/read-model/active-markets.ts',
    tests: ['test/server/exchange/read-model/ordered-lists.test.ts'],
    changes: [
      [
        'a reader does not learn that a market left memory',
        'if (at < this.forgottenAt) return null\n',
        '\n',
      ],
    ],
  },
  {
    file: 'server/exchange/read-model/lists/filter-counts.ts',
    tests: ['test/server/exchange/read-model/ordered-lists.test.ts'],
    changes: [
      [
        'a market counts for keys that it does not pass for',
        'if (missed.length > 1) return\n',
        '\n',
      ],
      ['a market is still counted as it was', 'count(kept, query, before, -1)\n', '\n'],
    ],
  },
  {
    file: 'server/api/pages/page-directory.ts',
    tests: ['test/server/api/pages/page-markets.test.ts'],
    changes: [['a cursor of another query is taken', ' || parts[0] !== query)', ')']],
  },
  {
    file: 'server/api/orders/cancels.ts',
    tests: ['test/server/api/orders/slices.test.ts'],
    changes: [
      [
        'the reply to a wide cancel is made in one slice',
        'if (from > 0) await new Promise(setImmediate)\n',
        '\n',
      ],
    ],
  },
  {
    file: 'server/exchange/pipeline.ts',
    tests: ['test/server/exchange/publisher/time-slices.test.ts'],
    changes: [
      [
        'a wide cancel is settled in one slice',
        'if (idle > 0 || !this.#drainSlice.isOver) continue',
        'continue',
      ],
    ],
  },
  {
    file: 'server/exchange/sequencer/releases.ts',
    tests: ['test/server/exchange/order-entry/taker-delay.test.ts'],
    changes: [
      [
        'takers of one instant are released by slot',
        '|| one.seq - other.seq',
        '|| one.slot - other.slot',
      ],
      ['takers of one instant are released in any order', 'this.#due.sort(byRound)\n', '\n'],
    ],
  },
  {
    file: 'server/exchange/sequencer/clock.ts',
    tests: CLOCK,
    changes: [
      [
        'a wall clock that steps back is followed',
        'Math.max(this.#timeMs + passedMs * SLOWED, Math.min(freeMs, wallMs + WALL_STEP_MS))',
        'wallMs',
      ],
      [
        'time stands still until the wall clock catches up',
        'Math.max(this.#timeMs + passedMs * SLOWED, Math.min(freeMs, wallMs + WALL_STEP_MS))',
        'Math.max(this.#timeMs, wallMs)',
      ],
      [
        'a wall clock that jumps ahead is followed at once',
        'if (aheadMs > leapMs) return this.#farAhead(freeMs, wallMs)\n',
        '\n',
      ],
      [
        'a wall clock that leaps by days is followed after a minute',
        'if (wallMs - freeMs > leapMsMax) {',
        'if (wallMs - freeMs > 99 * leapMsMax) {',
      ],
      [
        'an exchange is ready with a wall clock that is days behind',
        "if (aheadMs < -behindMsMax) this.#become('tooFarBehind')\n    else if",
        'if',
      ],
      [
        'a start takes any wall clock without consent',
        'if (wallMs - lastMs <= leapMsMax || this.#parts.isLeapAccepted === true) return null',
        'if (wallMs > 0) return null',
      ],
    ],
  },
  {
    file: 'server/start/serve.ts',
    tests: START,
    changes: [
      [
        'only the library checks a certificate',
        'tls === undefined ? null : tlsProblem(tls)',
        'null',
      ],
      [
        'an address of another machine is reported as a port in use',
        'inFiles ?? (listener === null ? await addressProblem(host, port) : null)',
        'inFiles',
      ],
    ],
  },
  {
    file: 'server/edge/http/gateway/entry.ts',
    tests: ['test/server/edge/http/gateway/own-calls.test.ts'],
    changes: [['the rate of a profile counts own calls', 'if (isOwn === true) return 0\n', '\n']],
  },
  {
    file: 'server/start/stopping.ts',
    tests: ['test/server/start/stopping.test.ts'],
    changes: [
      [
        'a stop has no deadline',
        'setTimeout(late, deadlineSec * MS_PER_SEC)',
        'setTimeout(() => {}, deadlineSec * 1000)',
      ],
    ],
  },
  {
    file: 'server/ops/readiness.ts',
    tests: READY,
    changes: [
      [
        'an exchange is always ready',
        'if (detail !== null && isVital) ready = false',
        'if (detail === undefined && isVital) ready = false',
      ],
      [
        'a thread that owes an answer gets another request',
        'if (!this.#thread.isAnswered) return\n',
        '\n',
      ],
    ],
  },
  {
    file: 'server/start/readiness.ts',
    tests: READY,
    changes: [
      [
        'a journal that stands still is not noticed',
        "isSilent(this.#journal, performance.now()) ? 'its thread does not answer' : null",
        'null',
      ],
      ['markets that stand still are not noticed', 'this.#markets.trouble()', 'null'],
      ['edges that stand still are not noticed', 'this.#edges.trouble()', 'null'],
    ],
  },
  {
    file: 'persistence/journal/sqlite-journal.ts',
    tests: ['test/persistence/journal/files.test.ts'],
    changes: [
      [
        'a deleted lock keeps nobody out',
        'lock === undefined ? own : [lock, ...own]',
        'lock === undefined ? own : own',
      ],
    ],
  },
  {
    file: 'server/cli/folder/verify.ts',
    tests: VERIFY,
    changes: [
      [
        'damaged read tables count as sound',
        'return { text, isSound: false }',
        'return { text, isSound: true }',
      ],
      [
        'a folder that could not be checked counts as not sound',
        "shell.warn('The folder could not be checked.')\n        return EXIT.UNCHECKED",
        'return EXIT.FAILED',
      ],
      [
        'a folder that is not sound gets no verdict',
        "shell.warn('The folder is not sound: follow the advice above, then verify again.')\n",
        '\n',
      ],
    ],
  },
  {
    file: 'server/exchange/read-model/market-view.ts',
    tests: MARKETS,
    changes: [
      [
        'a market without a deadline has no end date',
        'deadlineMs === null ? NO_DEADLINE :',
        'deadlineMs === null ? null :',
      ],
      ['a market without a deadline has no end time', 'deadlineMs ?? NO_DEADLINE_MS', 'deadlineMs'],
    ],
  },
  {
    file: 'server/settings/service-links.ts',
    tests: ['test/server/settings/environment.test.ts'],
    changes: [
      [
        'any port of an address is a Service',
        'return ADDRESS_LINK.test(name) && ADDRESS',
        'return ADDRESS',
      ],
      ['a Service of a longer name is refused', 'SERVICE_PART.test(name) || PORT', 'PORT'],
    ],
  },
  {
    file: 'server/settings/flags.ts',
    tests: ['test/server/settings/environment.test.ts'],
    changes: [
      [
        'the variable of a given flag counts',
        'given.some((each) => each.flag === flag) || isServiceLink',
        'isServiceLink',
      ],
    ],
  },
  {
    file: 'server/settings/memory.ts',
    tests: ['test/server/settings/memory.test.ts'],
    changes: [
      ['no limit is a limit of nothing', 'constrained > 0 && ', ''],
      [
        'edge threads take no memory',
        'freeBytes(limitBytes) - edgeThreads * MEMORY.edgeThreadBytes',
        'freeBytes(limitBytes)',
      ],
    ],
  },
  {
    file: 'server/edge/http/gateway/listening/apps.ts',
    tests: ['test/server/start/tls.test.ts'],
    changes: [
      [
        'older connections get no frames',
        'for (const app of this.#all) {\n      if (app.publish',
        'for (const app of this.#all.slice(-1)) {\n      if (app.publish',
      ],
      [
        'every second connection gets the older certificate',
        'if (before !== undefined && before',
        'if (before === undefined && before',
      ],
    ],
  },
  {
    file: 'server/start/serve.ts',
    tests: ['test/server/start/standard-output.test.ts'],
    changes: [
      [
        'a token that was not shown is kept',
        'if (problem !== null && !config.demo) throw',
        'if (problem !== null && config.demo) throw',
      ],
    ],
  },
]
