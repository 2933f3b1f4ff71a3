import { onAnvil } from '../../support/on-anvil.ts'

await onAnvil('trading-mode')
