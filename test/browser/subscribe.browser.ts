import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { processEnvironment } from '../../config/env.ts';
import { type CliRun, runCli } from '../cli/support/run-cli.ts';
import { FormBrowser } from '../support/form-browser.ts';
import { openIdentityService } from '../support/identity-service.ts';
import { connectApp, openApp } from '../support/oauth-app.ts';
import { setUpPrices } from '../support/stripe/set-up-prices.ts';
import { StripeStandIn } from '../support/stripe/stripe-stand-in.ts';
import { useSuiteFolder } from '../support/temporary-folder.ts';
import { useFixture } from '../support/use-fixture.ts';
import { openChromium } from './open-chromium.ts';

const LOGS = fileURLToPath(new URL('../fixtures/claude-code/projects', import.meta.url));

/** Where pictures of the pages go; none are made without it. */
const pictures = processEnvironment()['PICTURES_DIR'];

const EXIT_PLAN = 7;

describe('a subscription in Chromium, from the words of the command-line tool, without scripts', () => {
  const stripe = useFixture(() => StripeStandIn.open());
  const service = useFixture(async () => {
    await setUpPrices(stripe());
    return openIdentityService({
      worker: true,
      change: () => ({ billing: stripe().billing(), enforcePlan: true }),
    });
  });
  const home = useSuiteFolder();
  let token: string;

  before(async () => {
    stripe().deliveries.endpoint = `${service().config.baseUrl}/billing/webhook`;
    stripe().deliveries.automatic = true;
    const app = await openApp(service().config.authUrl);
    token = (await connectApp(app, new FormBrowser(), 'subscriber')).access_token;
  });
  const chromium = useFixture(openChromium);
  const page = useFixture(() => chromium().context.newPage());

  async function submit(): Promise<CliRun> {
    const headers = { authorization: `Bearer ${token}` };
    const answered = await fetch(`${service().config.baseUrl}/me`, { headers });
    const me: Record<string, unknown> = JSON.parse(await answered.text());
    const where = [
      '--base-url',
      service().config.baseUrl,
      '--source-dir',
      LOGS,
      '--config-dir',
      join(home(), 'config'),
    ];
    return runCli(home(), ['--codename', String(me['codename']), ...where], { UPSILON_TOKEN: token });
  }

  async function picture(name: string): Promise<void> {
    if (pictures !== undefined) await page().screenshot({ path: `${pictures}/${name}.png`, fullPage: true });
  }

  it('pays and submits', async () => {
    const refused = await submit();
    expect(refused.exit, refused.stderr).to.equal(EXIT_PLAN);
    const [link = ''] = /http:\/\/\S+\/account\/plan/.exec(refused.stderr) ?? [];
    expect(link).to.equal(`${service().origin}/account/plan`);

    await page().goto(link);
    await page().getByLabel('Any name').fill('subscriber');
    await page().getByRole('button', { name: 'Sign in without a password' }).click();
    await page().getByRole('heading', { name: 'Your plan' }).waitFor();
    await picture('plan');
    await page().getByRole('button', { name: 'Subscribe monthly: 5.00 USD a month' }).click();
    await page().getByRole('heading', { name: 'Stand-in checkout' }).waitFor();
    await page().getByRole('button', { name: 'Pay' }).click();
    await page().getByRole('heading', { name: 'Thank you' }).waitFor();
    // The heading is there before the rest of the page: wait until the page has loaded.
    await page().waitForLoadState('load');
    await picture('subscribed');
    expect(await page().getByRole('main').innerText()).to.include('It renews on');

    const accepted = await submit();
    expect(accepted.exit, accepted.stderr).to.equal(0);
  });

  it('manages the plan on the provider’s page, and comes back', async () => {
    await page().goto(`${service().origin}/account`);
    await picture('account-with-plan');
    await page().getByRole('link', { name: 'Change your plan or card, or cancel' }).click();
    await page().getByRole('heading', { name: 'Stand-in portal' }).waitFor();
    await page().getByRole('link', { name: 'Return' }).click();
    expect(page().url()).to.equal(`${service().origin}/account`);
  });
});
