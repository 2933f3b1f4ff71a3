import { nearest } from '../settings/nearest.ts'
import { type Command, type Commands, EXIT, processShell, type Shell } from '../shell.ts'
import { adminCommand } from './admin/admin.ts'
import { completionCommand } from './completion.ts'
import { backupCommand, restoreCommand } from './folder/backup.ts'
import { exportCommand } from './folder/export.ts'
import { keyCommand } from './folder/key.ts'
import { rebuildCommand } from './folder/rebuild.ts'
import { replayCommand } from './folder/replay.ts'
import { verifyCommand } from './folder/verify.ts'
import { orderCommand } from './order/order.ts'
import { topCommand } from './top/top.ts'
import { verifyProofCommand } from './verify-proof.ts'

/** The commands that need neither `serve` nor a list of all. */
export const commands: Commands = {
  verify: verifyCommand,
  'verify-proof': verifyProofCommand,
  rebuild: rebuildCommand,
  backup: backupCommand,
  restore: restoreCommand,
  key: keyCommand,
  replay: replayCommand,
  export: exportCommand,
  admin: adminCommand,
  order: orderCommand,
  top: topCommand,
}

/** Every command; main gives `serve`. */
export function allCommands(serve: Command): Commands {
  const all: Commands = { serve, ...commands, completion: completionCommand(() => all) }
  return all
}

function helpOf(known: Commands): string {
  const names = Object.keys(known)
  const width = Math.max(...names.map((name) => name.length))
  return [
    'outcomex: a self-hosted prediction-market exchange',
    '',
    ...names.map((name) => `  outcomex ${name.padEnd(width)}  ${known[name].about}`),
    '',
    '  outcomex COMMAND --help explains one; outcomex --version prints the version.',
  ].join('\n')
}

/** Runs the command that `argv` (without node and script) names; resolves with the exit code. */
export async function runCommand(
  known: Commands,
  argv: readonly string[],
  version: string,
  shell: Shell = processShell,
): Promise<number> {
  const [name, ...args] = argv
  if (name === '--version' || name === '-v') {
    shell.say(version)
    return EXIT.OK
  }
  if (name === '--help' || name === '-h' || name === 'help') {
    shell.say(helpOf(known))
    return EXIT.OK
  }
  if (name === undefined) {
    shell.warn(helpOf(known))
    return EXIT.WRONG_USE
  }
  const found = Object.hasOwn(known, name) ? known[name] : undefined
  if (found !== undefined) return await found.run(args, shell)
  const near = nearest(name, Object.keys(known))
  const hint = near === undefined ? 'see outcomex --help' : `did you mean ${near}?`
  shell.warn(`There is no command '${name}'; ${hint}`)
  return EXIT.WRONG_USE
}
