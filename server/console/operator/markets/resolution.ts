// What an operator resolves a market to, and the call that does it.

import type { FormField } from '../form-body.ts'

export const OUTCOMES = ['YES', 'NO', 'A split', 'A market of this group'] as const

export const OUTCOME_FIELDS: readonly FormField[] = [
  {
    name: 'outcome',
    label: 'What wins',
    kind: 'choice',
    choices: ['Choose', ...OUTCOMES],
    isNeeded: true,
  },
  {
    name: 'split',
    label: 'Parts of a split',
    kind: 'text',
    hint: 'For a split alone, YES before NO: 1:1 pays each share one half.',
  },
  {
    name: 'winner',
    label: 'Slug of the winner',
    kind: 'text',
    hint: 'For a group alone; its other markets lose.',
  },
]

export interface Resolution {
  readonly path: string
  readonly body: object
  /** The outcome, for the confirmation. */
  readonly sentence: string
}

const SPLIT = /^(\d{1,10}):(\d{1,10})$/

function splitOf(text: string): readonly [yes: number, no: number] {
  const [, yes, no] = SPLIT.exec(text.replaceAll(' ', '')) ?? []
  if (yes === undefined || no === undefined || Number(yes) + Number(no) === 0) {
    throw new Error('A split is two whole numbers, like 1:1.')
  }
  return [Number(yes), Number(no)]
}

function shareOf(part: number, all: number): string {
  return `$${(part / all).toFixed(4).replace(/0{1,2}$/, '')}`
}

/** Throws a sentence when the form has no outcome. */
export function resolutionOf(slug: string, typed: (name: string) => string): Resolution {
  const outcome = OUTCOMES.find((each) => each === typed('outcome'))
  const path = `/admin/markets/${encodeURIComponent(slug)}/resolve`
  switch (outcome) {
    case 'YES':
    case 'NO': {
      const body = { winningOutcomeIndex: outcome === 'YES' ? 0 : 1 }
      return { path, body, sentence: `${outcome} wins: each ${outcome} share is paid $1.00.` }
    }
    case 'A split': {
      const [yes, no] = splitOf(typed('split'))
      const shares = `YES ${shareOf(yes, yes + no)}, NO ${shareOf(no, yes + no)} a share`
      return { path, body: { payoutNumerators: [yes, no] }, sentence: `It is split: ${shares}.` }
    }
    case 'A market of this group': {
      const winner = typed('winner')
      if (winner === '') throw new Error('Name the market that wins.')
      const group = `/admin/groups/${encodeURIComponent(slug)}/resolve`
      return { path: group, body: { winner }, sentence: `${winner} wins, its other markets lose.` }
    }
    default:
      throw new Error('Choose what wins.')
  }
}
