import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { eventually } from '../support/eventually.ts';
import { FormBrowser, type VisitedPage } from '../support/form-browser.ts';
import { type IdentityService, openIdentityService } from '../support/identity-service.ts';
import { connectApp, openApp } from '../support/oauth-app.ts';
import { makeDeviceKey, makeDeviceProof, makeSubmission, type TestDeviceKey } from '../support/signing.ts';
import { setUpPrices } from '../support/stripe/set-up-prices.ts';
import { StripeStandIn } from '../support/stripe/stripe-stand-in.ts';
import { useFixture } from '../support/use-fixture.ts';

interface Person {
  readonly browser: FormBrowser;
  readonly token: string;
  readonly codename: string;
  readonly key: TestDeviceKey;
}

/** The complete flow over real queues: api processes, a worker, pages, webhooks, and a stand-in for Stripe. */
describe('subscriptions, from the account page to a snapshot', () => {
  const stripe = useFixture(() => StripeStandIn.open(() => Date.now() + (service?.ahead ?? 0)));
  let service: IdentityService;
  let other: string;
  let count = 0;

  before(async () => {
    await setUpPrices(stripe());
    service = await openIdentityService({
      worker: true,
      change: () => ({ billing: stripe().billing(), enforcePlan: true }),
    });
    other = await service.another();
    stripe().deliveries.endpoint = `${service.config.baseUrl}/billing/webhook`;
  });

  after(() => service.close());

  beforeEach(() => {
    stripe().condition = 'well';
    stripe().deliveries.automatic = true;
  });

  async function ask(token: string, method: string, path: string, body?: unknown, base = service.config.baseUrl) {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const json: Record<string, unknown> = JSON.parse(await response.text());
    return { status: response.status, json };
  }

  async function person(): Promise<Person> {
    count += 1;
    const browser = new FormBrowser();
    const app = await openApp(service.config.authUrl);
    const { access_token: token } = await connectApp(app, browser, `payer-${count}`);
    const codename = String((await ask(token, 'GET', '/me')).json['codename']);
    const key = makeDeviceKey();
    const iat = Math.floor((Date.now() + service.ahead) / 1_000);
    await ask(token, 'POST', '/devices', { jwk: key.jwk, proof: makeDeviceProof(key, { codename, iat }) });
    return { browser, token, codename, key };
  }

  async function submit({ token, codename, key }: Person, base?: string): Promise<number> {
    const iat = Math.floor((Date.now() + service.ahead) / 1_000);
    const counts = { codename, input: 10, output: 20, cache_read: 300, cache_write: 4 };
    return (await ask(token, 'POST', '/snapshots', makeSubmission(key, counts, { iat }), base)).status;
  }

  const at = (path: string): string => `${service.origin}${path}`;

  async function checkout({ browser }: Person, plan = 'monthly'): Promise<VisitedPage> {
    const page = await browser.get(at('/account/plan'));
    return browser.submit(page, '/account/subscribe', { plan });
  }

  async function renewalOf({ token }: Person): Promise<unknown> {
    return Object((await ask(token, 'GET', '/me')).json['subscription']).state;
  }

  it('pays on one page, and every api process accepts submissions at once', async () => {
    const somebody = await person();
    const elsewhere = `${other}/api/v1`;
    expect([await submit(somebody), await submit(somebody, elsewhere)]).to.deep.equal([402, 402]);
    const page = await checkout(somebody);
    expect(page.url).to.match(new RegExp(`^${stripe().origin}/pay/`));
    const paid = await pay(somebody, page);
    expect(paid.url).to.equal(at('/account/subscribed'));
    expect(paid.text).to.include('It renews on');
    // This process did not call Stripe: the one that did announced the change.
    await eventually('the plan in the other process', async () => (await submit(somebody, elsewhere)) === 200);
    expect(await submit(somebody)).to.equal(200);
    const account = await somebody.browser.get(at('/account'));
    expect(account.text).to.include('/account/portal').and.not.include('/account/subscribe');
    const portal = await somebody.browser.get(at('/account/portal'));
    expect(portal.url).to.match(new RegExp(`^${stripe().origin}/portal/cus_`));
  });

  it('shows how to pay after an abandoned checkout', async () => {
    const somebody = await person();
    const page = await checkout(somebody, 'annual');
    const back = /href="([^"]*)"/.exec(page.text)?.[1] ?? '';
    expect((await somebody.browser.get(back)).text).to.include('/account/subscribe');
    expect((await checkout(somebody, 'annual')).url).to.equal(page.url);
  });

  it('applies a payment from webhooks alone, delayed and out of order', async () => {
    const somebody = await person();
    stripe().deliveries.automatic = false;
    const page = await checkout(somebody);
    stripe().actions.pay(new URL(page.url).pathname.split('/').at(-1) ?? '');
    const events = stripe().deliveries.take();
    stripe().condition = 'erring';
    for (const event of [...events, ...events].toReversed()) {
      expect(await stripe().deliveries.send(event)).to.equal(200);
    }
    expect(await submit(somebody)).to.equal(402);
    stripe().condition = 'well';
    await eventually('the plan', async () => (await submit(somebody)) === 200);
    expect(await renewalOf(somebody)).to.equal('active');
  });

  it('ends a plan when its owner cancels it on the provider’s page, at the end of its period', async () => {
    const somebody = await person();
    await pay(somebody, await checkout(somebody));
    const portal = await somebody.browser.get(at('/account/portal'));
    const { pathname, search } = new URL(portal.url);
    await somebody.browser.submit(portal, `${pathname}${search}`);
    await eventually('the cancellation', async () => (await renewalOf(somebody)) === 'ending');
    expect(await submit(somebody)).to.equal(200);
  });

  it('redirects a signed-out visitor to sign-in and back', async () => {
    const browser = new FormBrowser();
    const login = await browser.get(at('/account/plan'));
    expect(new URL(login.url).pathname).to.equal('/login');
    const plan = await browser.submit(login, '/login/development', { name: `visitor-${count}` });
    expect(new URL(plan.url).pathname).to.equal('/account/plan');
    expect((await new FormBrowser().get(at('/account/subscribed'))).text).to.include('Thank you');
  });

  it('accepts a form only from its own pages, for a plan that exists', async () => {
    const somebody = await person();
    const forged = await somebody.browser.post(at('/account/subscribe'), new URLSearchParams({ plan: 'monthly' }));
    expect(forged.status).to.equal(403);
    const [, csrf = ''] =
      /name="csrf" value="([^"]+)"/.exec((await somebody.browser.get(at('/account/plan'))).text) ?? [];
    const fields = new URLSearchParams({ csrf, plan: 'weekly' });
    const unknown = await somebody.browser.post(at('/account/subscribe'), fields);
    expect(unknown.status).to.equal(400);
    expect(unknown.text).to.include('This plan does not exist');
  });

  it('deletes the customer with the account', async () => {
    const somebody = await person();
    await pay(somebody, await checkout(somebody));
    const customer = [...stripe().ledger.customers.keys()].at(-1) ?? '';
    const { baseUrl: audience, authUrl: issuer } = service.config;
    const { sub: subject = '' } = decodeJwt(somebody.token);
    const claims = { subject, scope: 'openid profile email', audience, issuer, lifetimeSeconds: 60 };
    const token = await service.accounts.signingKeys.mintAccessToken(claims);
    expect((await ask(token, 'DELETE', '/me')).status).to.equal(200);
    await eventually('the end of the customer', () => stripe().ledger.customers.get(customer) === null);
  });
});

function pay({ browser }: Person, page: VisitedPage): Promise<VisitedPage> {
  return browser.submit(page, new URL(page.url).pathname);
}
