import type { ServerResponse } from 'node:http';
import type { Actions } from './actions.ts';
import type { Ledger } from './ledger.ts';

interface PageRequest {
  readonly method: string;
  readonly pathname: string;
  readonly search: string;
}

/** The pages on which people pay, and manage what they pay. They work without scripts. */
export function answerPage(
  standIn: { readonly ledger: Ledger; readonly actions: Actions },
  { method, pathname, search }: PageRequest,
  response: ServerResponse,
): void {
  const [, kind, id = ''] = pathname.split('/');
  const { ledger, actions } = standIn;
  const session = ledger.sessions.get(id);
  if (kind === 'pay' && session !== undefined) {
    if (method === 'POST') {
      if (session.status === 'open') actions.pay(id);
      return redirect(response, session.success_url.replace('{CHECKOUT_SESSION_ID}', id));
    }
    const price = ledger.prices.get(ledger.priceOfSession.get(id) ?? '');
    return show(
      response,
      'Stand-in checkout',
      `<p>${(price?.unit_amount ?? 0) / 100} ${price?.currency} each ${price?.recurring.interval}</p>
<form method="post" action="${pathname}"><button>Pay</button></form><a href="${session.cancel_url}">Back</a>`,
    );
  }
  if (kind === 'portal') {
    const subscription = [...ledger.subscriptions.values()].findLast(({ customer }) => customer === id);
    if (method === 'POST' && subscription !== undefined) actions.cancelAtPeriodEnd(subscription.id);
    const back = new URLSearchParams(search).get('return') ?? '';
    return show(
      response,
      'Stand-in portal',
      `<form method="post" action="${pathname}${search}"><button>Cancel the plan</button></form><a href="${back}">Return</a>`,
    );
  }
  response.writeHead(404).end();
}

function redirect(response: ServerResponse, to: string): void {
  response.writeHead(303, { location: to }).end();
}

function show(response: ServerResponse, title: string, body: string): void {
  const page = `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${body}</html>`;
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
}
