import { onAnvil } from '../../support/on-anvil.ts'

await onAnvil('client-types')
