import assert from 'node:assert/strict'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { codeOf } from '../../engine/domain/error-code.ts'
import { TestCluster, type TestNode } from '../support/cluster.ts'
import { REPLACED } from '../support/cluster-faults.ts'
import { type ClusterFault, ClusterRounds } from '../support/cluster-rounds.ts'
import { longSkip, REPLIES } from '../support/cluster-tests.ts'
import { mountDisk, mountSkip } from '../support/mounted-disk.ts'
import { freshSeed, Random } from '../support/random.ts'
import { compileProgram } from '../support/server-process.ts'
import { until } from '../support/until.ts'

const DISK_BYTES = 256 * 1024 ** 2
const CHUNK_BYTES = 65_536
/** Nodes that end, one after the other, before there is space again. */
const ENDS = 3

function fill(path: string): void {
  const file = openSync(path, 'w')
  for (let bytes = CHUNK_BYTES; bytes >= 1; ) {
    try {
      writeSync(file, Buffer.alloc(bytes))
    } catch (error) {
      if (codeOf(error) !== 'ENOSPC') throw error
      bytes = Math.floor(bytes / 2)
    }
  }
  closeSync(file)
}

/** Starts a node again whenever it ends because it no longer leads, as a supervisor does. */
class Supervisor {
  ends = 0
  #isOver = false

  constructor({ nodes }: TestCluster) {
    for (const node of nodes) void this.#watch(node)
  }

  end(): void {
    this.#isOver = true
  }

  async #watch(node: TestNode): Promise<void> {
    for (;;) {
      const { code, stderr } = await node.process.ended
      if (this.#isOver) return
      assert.equal(code, REPLACED, stderr)
      assert.match(stderr, /No space left on device/)
      this.ends++
      await node.startAgain()
    }
  }
}

const skip = longSkip || mountSkip()

test('nothing acknowledged is lost when the disk of the log is full', { skip }, async () => {
  await compileProgram()
  let disk = ''
  const cluster = await TestCluster.start(3, {
    makeFolder: (folder) => {
      disk = folder
      mountDisk(folder, DISK_BYTES)
    },
  })
  after(() => cluster.end())
  const rounds = await ClusterRounds.start(new Random(freshSeed()), cluster, REPLIES)
  const supervisor = new Supervisor(cluster)
  const fault: ClusterFault = async () => {
    const ballast = join(disk, 'ballast')
    fill(ballast)
    await until(() => supervisor.ends >= ENDS)
    rmSync(ballast)
    const isWhole = () => cluster.up.length === cluster.nodes.length
    return { isReplaced: false, repair: () => until(isWhole) }
  }
  console.log(JSON.stringify(await rounds.round(fault, false)))
  supervisor.end()
  await cluster.compareFolders()
})
