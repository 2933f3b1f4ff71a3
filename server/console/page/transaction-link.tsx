// A link to a transaction in the block explorer of the chain.

import type { Context } from '../context.ts'
import { shortAddress } from './format.ts'
import type { ComponentChildren } from './preact.ts'

interface TransactionLinkProps {
  readonly context: Context
  /** Null for what is in no block of the chain. */
  readonly hash: string | null
  readonly children: ComponentChildren
}

/** Shows the children alone when there is no transaction, or no explorer of the chain. */
export function TransactionLink({ context, hash, children }: TransactionLinkProps) {
  const { explorerUrl } = context.info.chain
  if (explorerUrl === undefined || hash === null) return <>{children}</>
  return (
    <a
      href={`${explorerUrl}/tx/${hash}`}
      title={`Transaction ${shortAddress(hash)}`}
      target="_blank"
      rel="noopener noreferrer"
    >
      {children}
    </a>
  )
}
