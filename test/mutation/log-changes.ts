import type { FileChanges } from './mutation.ts'

// How a cluster replicates its log. test/simulation/log/planted-faults.ts has those faults that the
// database or main could have.

const SIMULATION = ['test/simulation/log.test.ts']

export const LOG_CHANGES: readonly FileChanges[] = [
  {
    file: 'persistence/log/thread/log-member.ts',
    tests: SIMULATION,
    changes: [
      [
        'a row found after a lost reply counts without a commit',
        'const isLeading = await log.renew(this.#epoch, this.#data.leaseMs)',
        'const isLeading = true',
      ],
      [
        'a standby takes what it sees without a commit',
        'await log.report(this.#data.node, this.#tail.seq)\n    if',
        'if',
      ],
      [
        'a batch is reported before its append returns',
        'await this.#append(batch)\n',
        'void this.#append(batch).catch(() => {})\n',
      ],
      [
        'a batch is reported after the lease has ended',
        'if (this.#leaseEndMs <= this.#world.nowMs()) throw',
        'if (this.#leaseEndMs < 0) throw',
      ],
      [
        'after a lost reply, other records get the same seqs',
        'return isRetry ? this.#appendAgain(log, batch) : this.#appendTo(log, batch)',
        'return this.#appendTo(log, isRetry ? (this.#gather() ?? batch) : batch)',
      ],
      [
        'a leader decides before it has the whole log',
        'await this.#take(log)\n    await this.#renewIfDue(log, epoch)',
        'await this.#renewIfDue(log, epoch)',
      ],
      [
        'the local copy is ahead of the log',
        'const copying = uncopied === null ? null : this.#copyBatch(uncopied)\n' +
          '        await Promise.all([this.#commit(batch), copying])\n' +
          '        uncopied = batch\n',
        'await this.#copyBatch(batch)\n        await this.#commit(batch)\n',
      ],
      [
        'a lease begins when its renewal returns',
        'this.#leaseEndMs = sentMs + leaseMs',
        'this.#leaseEndMs = this.#world.nowMs() + leaseMs',
      ],
      [
        'a node leads although its renewal was refused',
        'if (!(await log.renew(epoch, leaseMs))) return false',
        'await log.renew(epoch, leaseMs)',
      ],
      [
        'a standby waits for a server that is gone',
        'if (seen === this.#steps) log.close()\n',
        '\n',
      ],
      [
        'a leader waits for a reply longer than its lease',
        'return await Promise.race([work, ended])',
        'return await work',
      ],
      [
        'a lost connection ends a standby',
        'if (!(error instanceof LogUnreachable)) throw error\n        this.#disconnect()',
        'if (error instanceof LogUnreachable) throw error\n        this.#disconnect()',
      ],
      [
        'a lost notification delays a standby for ever',
        'reportAtMs = nowMs() + REPORT_EVERY_MS',
        'reportAtMs = Number.POSITIVE_INFINITY',
      ],
      [
        'a stop leaves records behind',
        'const batch = this.#gather()\n',
        'const batch = this.#isStopping ? null : this.#gather()\n',
      ],
      ['a node answers after it has given up the lease', 'this.#lease.endMs = 0\n', '\n'],
    ],
  },
  {
    file: 'persistence/log/log-schema.ts',
    tests: SIMULATION,
    changes: [
      [
        'a repeated append does not wait for the first',
        "FOR UPDATE;\n  IF NOT FOUND THEN RETURN 'replaced'",
        "FOR SHARE;\n  IF NOT FOUND THEN RETURN 'replaced'",
      ],
    ],
  },
]
