/** The event types to configure at Stripe, at most 20, with the reader of the money that each moves. */
export const MONEY_BY_TYPE = {
  'checkout.session.completed': null,
  'customer.subscription.created': null,
  'customer.subscription.updated': null,
  'customer.subscription.deleted': null,
  'customer.subscription.paused': null,
  'customer.subscription.resumed': null,
  'invoice.paid': 'ofInvoice',
  'invoice.payment_failed': null,
  'charge.refunded': 'ofCharge',
  'refund.updated': 'ofRefund',
  'refund.failed': 'ofRefund',
  'charge.dispute.created': 'ofDispute',
  'charge.dispute.closed': 'ofDispute',
} as const;

type EventType = keyof typeof MONEY_BY_TYPE;

export function isEventType(type: string): type is EventType {
  return Object.hasOwn(MONEY_BY_TYPE, type);
}
