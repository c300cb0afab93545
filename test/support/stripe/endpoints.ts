import { must } from './actions.ts';
import type { Ledger } from './ledger.ts';
import type { ChargeObject, InvoiceObject, PriceObject, SessionObject } from './objects.ts';
import { metadataOf, numberOf, objectOf, type Params, textOf, textsOf } from './read-params.ts';

/** The result of an endpoint: an object, or null for an unknown id. */
type Endpoint = (params: Params, id: string) => object | null;

const DAY_S = 24 * 60 * 60;

/** An error in Stripe's format. */
export class Refusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Every endpoint by method and path; `*` stands for a name. `origin` is where the stand-in's own pages are. */
export function endpointsOf(ledger: Ledger, origin: string): ReadonlyMap<string, Endpoint> {
  return new Map<string, Endpoint>([
    ...customerEndpoints(ledger),
    ...catalogueEndpoints(ledger),
    ...checkoutEndpoints(ledger, origin),
    ...moneyEndpoints(ledger),
    ['POST /v1/billing_portal/sessions', (params) => openPortal(ledger, origin, params)],
    ['GET /v1/events', (params) => listEvents(ledger, params)],
  ]);
}

function list(data: readonly unknown[], hasMore = false, url = '/v1'): object {
  return { object: 'list', url, has_more: hasMore, data };
}

function customerEndpoints(ledger: Ledger): [string, Endpoint][] {
  return [
    [
      'POST /v1/customers',
      (params) => {
        const metadata = metadataOf(params);
        const id = ledger.name('cus');
        const email = textOf(params, 'email');
        const customer = { id, object: 'customer', created: ledger.now(), email, metadata, livemode: false } as const;
        ledger.customers.set(id, customer);
        return customer;
      },
    ],
    [
      'GET /v1/customers/*',
      (_params, id) => {
        const found = ledger.customers.get(id);
        return found === null ? { id, object: 'customer', deleted: true } : (found ?? null);
      },
    ],
    [
      'DELETE /v1/customers/*',
      (_params, id) => {
        if (!ledger.customers.has(id)) return null;
        ledger.customers.set(id, null);
        for (const subscription of ledger.subscriptions.values()) {
          if (subscription.customer !== id || subscription.status === 'canceled') continue;
          Object.assign(subscription, { status: 'canceled', ended_at: ledger.now() });
          ledger.emit('customer.subscription.deleted', subscription);
        }
        return { id, object: 'customer', deleted: true };
      },
    ],
    ['GET /v1/subscriptions', (params) => listSubscriptions(ledger, params)],
  ];
}

function listSubscriptions(ledger: Ledger, params: Params): object {
  const customer = requireCustomer(ledger, params);
  const all = [...ledger.subscriptions.values()].filter((each) => each.customer === customer).toReversed();
  const expanded = textsOf(params, 'expand').includes('data.latest_invoice.payments');
  return list(
    all.map((subscription): object => {
      if (!expanded) return subscription;
      const invoice = must(ledger.invoices.get(subscription.latest_invoice));
      return { ...subscription, latest_invoice: withPayments(ledger, invoice) };
    }),
  );
}

function withPayments(ledger: Ledger, invoice: InvoiceObject): object {
  const payments = chargesOf(ledger, invoice.id).map(({ payment_intent }) => ({
    id: `inpay_${payment_intent}`,
    object: 'invoice_payment',
    invoice: invoice.id,
    status: 'paid',
    payment: { type: 'payment_intent', payment_intent },
  }));
  return { ...invoice, payments: list(payments) };
}

function chargesOf(ledger: Ledger, invoice: string): readonly ChargeObject[] {
  return [...ledger.charges.values()].filter((charge) => charge.invoice_of_stand_in === invoice);
}

function requireCustomer(ledger: Ledger, params: Params): string {
  const customer = textOf(params, 'customer') ?? '';
  if ((ledger.customers.get(customer) ?? null) === null) {
    throw new Refusal('resource_missing', `No such customer: '${customer}'`);
  }
  return customer;
}

function catalogueEndpoints(ledger: Ledger): [string, Endpoint][] {
  return [
    ['GET /v1/products/*', (_params, id) => ledger.products.get(id) ?? null],
    [
      'POST /v1/products',
      (params) => {
        const id = textOf(params, 'id') ?? ledger.name('prod');
        if (ledger.products.has(id)) throw new Refusal('resource_already_exists', 'Product already exists.');
        const product = { id, object: 'product', active: true, name: textOf(params, 'name'), livemode: false };
        ledger.products.set(id, product);
        return product;
      },
    ],
    [
      'GET /v1/prices',
      (params) => {
        const keys = textsOf(params, 'lookup_keys');
        return list([...ledger.prices.values()].filter(({ lookup_key: key }) => key !== null && keys.includes(key)));
      },
    ],
    ['POST /v1/prices', (params) => createPrice(ledger, params)],
  ];
}

function createPrice(ledger: Ledger, params: Params): object {
  const lookup_key = textOf(params, 'lookup_key');
  const former = [...ledger.prices.values()].find((price) => lookup_key !== null && price.lookup_key === lookup_key);
  if (former !== undefined) {
    if (textOf(params, 'transfer_lookup_key') !== 'true') {
      throw new Refusal('resource_already_exists', 'A price with this lookup key exists.');
    }
    former.lookup_key = null;
  }
  const interval = textOf(objectOf(params, 'recurring'), 'interval') === 'year' ? 'year' : 'month';
  const price: PriceObject = {
    id: ledger.name('price'),
    object: 'price',
    active: true,
    currency: textOf(params, 'currency') ?? '',
    lookup_key,
    product: textOf(params, 'product') ?? '',
    recurring: { interval, interval_count: 1 },
    type: 'recurring',
    unit_amount: numberOf(params, 'unit_amount') ?? 0,
    livemode: false,
  };
  ledger.prices.set(price.id, price);
  return price;
}

function checkoutEndpoints(ledger: Ledger, origin: string): [string, Endpoint][] {
  const find = (id: string): SessionObject | null => {
    const session = ledger.sessions.get(id) ?? null;
    if (session?.status === 'open' && session.expires_at <= ledger.now()) session.status = 'expired';
    return session;
  };
  return [
    ['POST /v1/checkout/sessions', (params) => openSession(ledger, origin, params)],
    ['GET /v1/checkout/sessions/*', (_params, id) => find(id)],
    [
      'POST /v1/checkout/sessions/*/expire',
      (_params, id) => {
        const session = find(id);
        if (session === null) return null;
        if (session.status !== 'open') throw new Refusal('invalid_request', 'Only open sessions can be expired.');
        return Object.assign(session, { status: 'expired', url: null });
      },
    ],
  ];
}

function openSession(ledger: Ledger, origin: string, params: Params): object {
  const customer = requireCustomer(ledger, params);
  const items = params['line_items'];
  const price = Array.isArray(items) ? (textOf({ ...Object(items[0]) }, 'price') ?? '') : '';
  if (!ledger.prices.has(price)) throw new Refusal('resource_missing', `No such price: '${price}'`);
  if (textOf(params, 'mode') !== 'subscription') throw new Refusal('parameter_invalid', 'mode must be subscription');
  const id = ledger.name('cs_test');
  const session: SessionObject = {
    id,
    object: 'checkout.session',
    mode: 'subscription',
    customer,
    client_reference_id: textOf(params, 'client_reference_id'),
    success_url: textOf(params, 'success_url') ?? '',
    cancel_url: textOf(params, 'cancel_url') ?? '',
    expires_at: ledger.now() + DAY_S,
    status: 'open',
    payment_status: 'unpaid',
    url: `${origin}/pay/${id}`,
    subscription: null,
    livemode: false,
  };
  ledger.sessions.set(id, session);
  ledger.priceOfSession.set(id, price);
  ledger.metadataOfSession.set(id, metadataOf(objectOf(params, 'subscription_data')));
  return session;
}

function openPortal(ledger: Ledger, origin: string, params: Params): object {
  const customer = requireCustomer(ledger, params);
  const id = ledger.name('bps');
  const return_url = textOf(params, 'return_url');
  const url = `${origin}/portal/${customer}?return=${encodeURIComponent(return_url ?? '')}`;
  return { id, object: 'billing_portal.session', created: ledger.now(), customer, return_url, url, livemode: false };
}

function ofIntent<T extends { readonly payment_intent: string }>(all: Iterable<T>, params: Params): T[] {
  return [...all].filter(({ payment_intent }) => payment_intent === textOf(params, 'payment_intent'));
}

function moneyEndpoints(ledger: Ledger): [string, Endpoint][] {
  return [
    [
      'GET /v1/invoices/*',
      (params, id) => {
        const invoice = ledger.invoices.get(id) ?? null;
        return invoice !== null && textsOf(params, 'expand').includes('payments')
          ? withPayments(ledger, invoice)
          : invoice;
      },
    ],
    ['GET /v1/charges/*', (_params, id) => ledger.charges.get(id) ?? null],
    ['GET /v1/refunds/*', (_params, id) => ledger.refunds.get(id) ?? null],
    ['GET /v1/charges', (params) => list(ofIntent(ledger.charges.values(), params))],
    [
      'GET /v1/refunds',
      (params) => list([...ledger.refunds.values()].filter(({ charge }) => charge === textOf(params, 'charge'))),
    ],
    ['GET /v1/disputes', (params) => list(ofIntent(ledger.disputes.values(), params))],
    [
      'GET /v1/disputes/*',
      (params, id) => {
        const dispute = ledger.disputes.get(id) ?? null;
        if (dispute === null || !textsOf(params, 'expand').includes('charge')) return dispute;
        return { ...dispute, charge: must(ledger.charges.get(dispute.charge)) };
      },
    ],
  ];
}

/** Newest first, as Stripe lists everything. */
function listEvents(ledger: Ledger, params: Params): object {
  const created = objectOf(params, 'created');
  const [from, to] = [numberOf(created, 'gte') ?? 0, numberOf(created, 'lte') ?? Number.POSITIVE_INFINITY];
  const types = textsOf(params, 'types');
  if (types.length > 20) throw new Refusal('parameter_invalid', 'types has more than 20 elements');
  const fitting = ledger.events
    .filter((event) => event.created >= from && event.created <= to && types.includes(event.type))
    .toReversed();
  const after = textOf(params, 'starting_after');
  const start = after === null ? 0 : fitting.findIndex(({ id }) => id === after) + 1;
  const limit = numberOf(params, 'limit') ?? 10;
  return list(fitting.slice(start, start + limit), start + limit < fitting.length);
}
