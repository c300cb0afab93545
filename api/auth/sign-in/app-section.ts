import * as z from 'zod';
import { readableDay } from '../../../config/units.ts';
import type { Account } from '../../../engine/accounts/index.ts';
import { type Html, html } from '../../html.ts';
import { showDone } from './account-done.ts';
import { powersOf } from './consent-page.ts';
import { button, form } from './forms.ts';
import { readOwner, type Visit } from './visit.ts';

/** What the authorization server stores of a grant. */
const Grant = z.object({
  clientId: z.string(),
  iat: z.number(),
  openid: z.object({ scope: z.string().optional() }).optional(),
  resources: z.record(z.string(), z.string()).optional(),
});

/** The apps that the operator allowed, with what each may do, and a button that ends it. */
export async function appSection(visit: Visit, { subject }: Account): Promise<Html> {
  const [found, provider] = await Promise.all([visit.accounts.oidc.grantsOf(subject), visit.currentProvider()]);
  const rows = await Promise.all(
    found.map(async ({ id, payload, expiresAt }) => {
      const { clientId, iat, openid, resources = {} } = Grant.parse(payload);
      const client = await provider.Client.find(clientId);
      const name = client?.clientName ?? clientId;
      const scopes = [openid?.scope ?? '', ...Object.values(resources)].join(' ').split(' ');
      const { first, later } = powersOf({ clientId, scopes, resource: undefined }, visit.baseUrl);
      const until = expiresAt === null ? '' : `, at the latest until ${readableDay(expiresAt)}`;
      const end = form(
        visit,
        visit.paths.endApp,
        { app: id },
        button('End', 'small', `${name} of ${readableDay(iat * 1_000)}`),
      );
      return html`<li><span>${name}<br><span class="soft">Allowed on ${readableDay(iat * 1_000)}${until}. It can ${[...first, ...later].join('; ')}.</span></span>${end}</li>`;
    }),
  );
  return rows.length === 0
    ? html`<p>You have allowed no app, and the tool is signed in on no machine.</p>`
    : html`<ul class="rows">${rows}</ul>`;
}

/** `POST /account/apps/end`: signs an app out, with all its tokens. */
export async function endApp(visit: Visit): Promise<void> {
  const owner = await readOwner(visit);
  if (owner === null) return visit.redirect(visit.paths.login);
  const { account } = owner;
  if (!(await visit.accounts.oidc.endGrant(account.subject, visit.form.get('app') ?? ''))) {
    return visit.problem(404, 'You have not allowed this app', 'Nothing was changed.');
  }
  await visit.accounts.audit.record({
    kind: 'access_ended',
    operator: account.operator,
    client: visit.client,
    detail: {},
  });
  showDone(visit, 'app_ended');
}
