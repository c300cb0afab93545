/** Stripe's objects as the stand-in keeps them: the documented members that the service reads, and some more. Times are seconds. */
export interface CustomerObject {
  readonly id: string;
  readonly object: 'customer';
  readonly created: number;
  readonly email: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly livemode: false;
}

export interface PriceObject {
  readonly id: string;
  readonly object: 'price';
  readonly active: boolean;
  readonly currency: string;
  lookup_key: string | null;
  readonly product: string;
  readonly recurring: { readonly interval: 'month' | 'year'; readonly interval_count: number };
  readonly type: 'recurring';
  readonly unit_amount: number;
  readonly livemode: false;
}

export interface SessionObject {
  readonly id: string;
  readonly object: 'checkout.session';
  readonly mode: 'subscription';
  readonly customer: string;
  readonly client_reference_id: string | null;
  readonly success_url: string;
  readonly cancel_url: string;
  readonly expires_at: number;
  status: 'open' | 'complete' | 'expired';
  payment_status: 'paid' | 'unpaid';
  url: string | null;
  subscription: string | null;
  readonly livemode: false;
}

export interface InvoiceObject {
  readonly id: string;
  readonly object: 'invoice';
  readonly number: string;
  readonly created: number;
  readonly currency: string;
  readonly customer: string;
  readonly amount_due: number;
  amount_paid: number;
  status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';
  readonly status_transitions: { paid_at: number | null };
  readonly parent: {
    readonly type: 'subscription_details';
    readonly subscription_details: { readonly subscription: string };
  };
  readonly livemode: false;
}

export interface SubscriptionObject {
  readonly id: string;
  readonly object: 'subscription';
  readonly created: number;
  readonly customer: string;
  readonly metadata: Readonly<Record<string, string>>;
  status: 'active' | 'past_due' | 'unpaid' | 'canceled' | 'paused' | 'incomplete' | 'trialing';
  cancel_at: number | null;
  cancel_at_period_end: boolean;
  canceled_at: number | null;
  ended_at: number | null;
  cancellation_details: { reason: string | null };
  pause_collection: { readonly behavior: string; readonly resumes_at: null } | null;
  latest_invoice: string;
  readonly items: {
    readonly object: 'list';
    readonly has_more: false;
    readonly data: [ItemObject];
  };
  readonly livemode: false;
}

export interface ItemObject {
  readonly id: string;
  readonly object: 'subscription_item';
  readonly price: PriceObject;
  current_period_start: number;
  current_period_end: number;
}

export interface ChargeObject {
  readonly id: string;
  readonly object: 'charge';
  readonly amount: number;
  amount_refunded: number;
  readonly created: number;
  readonly currency: string;
  readonly customer: string;
  disputed: boolean;
  readonly paid: true;
  readonly payment_intent: string;
  refunded: boolean;
  readonly invoice_of_stand_in: string;
  readonly status: 'succeeded';
}

export interface RefundObject {
  readonly id: string;
  readonly object: 'refund';
  readonly amount: number;
  readonly charge: string;
  readonly created: number;
  readonly currency: string;
  readonly payment_intent: string;
  status: 'succeeded' | 'pending' | 'failed';
}

export interface DisputeObject {
  readonly id: string;
  readonly object: 'dispute';
  readonly amount: number;
  readonly charge: string;
  readonly created: number;
  readonly currency: string;
  readonly payment_intent: string;
  readonly reason: string;
  status: 'needs_response' | 'won' | 'lost' | 'warning_needs_response' | 'warning_closed';
}

/** An event: a picture of its object at that moment. */
export interface EventObject {
  readonly id: string;
  readonly object: 'event';
  readonly api_version: string;
  readonly created: number;
  readonly data: { readonly object: Readonly<Record<string, unknown>> };
  readonly livemode: false;
  readonly pending_webhooks: number;
  readonly request: { readonly id: null; readonly idempotency_key: null };
  readonly type: string;
}
