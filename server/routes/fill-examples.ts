import { ORDER_ID } from './examples.ts'

/** A canceled order that had traded four of its ten shares. */
export const CANCELED_EXAMPLE = {
  orderId: ORDER_ID,
  filledSize: '4000000',
  remainingSize: '6000000',
  averagePrice: '0.645',
}
