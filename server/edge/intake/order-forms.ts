import { FORM } from '../../messages/intake-layout.ts'

/** The form of the body of each call with signed orders, by its path; all of them are POST. */
export const ORDER_FORMS: Readonly<Record<string, number>> = {
  '/orders': FORM.ORDER,
  '/orders/batch': FORM.ORDERS,
  '/orders/cancel-replace': FORM.REPLACE,
  '/orders/cancel-replace/batch': FORM.REPLACES,
}

/** The paths by their forms. */
export const ORDER_PATHS: readonly string[] = Object.entries(ORDER_FORMS)
  .sort(([, a], [, b]) => a - b)
  .map(([path]) => path)
