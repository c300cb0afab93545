import { hashOf } from '../../../engine/accounts/index.ts';
import { PUBLIC_TOTALS } from '../../../engine/contract/unranked.ts';
import { type Html, html } from '../../html.ts';
import { describeApp, isOfficialClient } from '../authorization-server/clients.ts';
import { type AuthorizationRequest, readRequest } from '../authorization-server/read-request.ts';
import { ROUTES } from '../authorization-server/routes.ts';
import { isForApi } from '../resources.ts';
import { button, form } from './forms.ts';
import { loginAddress, readOwner, signInFirst, type Visit } from './visit.ts';

/** Lifetime of a ticket, in milliseconds: the time for the redirect from the login host to the authorization server. */
const TICKET_LIFETIME_MS = 60_000;

/** The scopes in words, harmless first. */
const WORDS: Readonly<Record<string, string>> = {
  openid: 'know which operator you are',
  profile: 'see your codename and display name',
  leagues: 'see the leagues that you are in, and who is on their boards',
  email: 'see your e-mail address, to which notices about sign-in go',
  offline_access: 'stay signed in until you end it at your account',
};

/** What any app's token permits: the contract's operations require no further scope. */
const ANY_APP = ['see your plan and devices', 'submit counts that one of your devices signed', 'start a subscription'];

/** What the tool does when a command for it is typed, and third-party apps may not: see `Route.officialClientsOnly`. */
const OFFICIAL_TOOL = [
  'add and revoke devices, whose keys sign your counts',
  'make, join and leave leagues, and manage yours',
  'change your codename and display name, or hide you',
];

/** What an app may do: at once, and by commands that are typed. */
export function powersOf(
  { clientId, scopes, resource }: Pick<AuthorizationRequest, 'clientId' | 'scopes' | 'resource'>,
  baseUrl: string,
): Readonly<Record<'first' | 'later', readonly string[]>> {
  const named = Object.entries(WORDS).flatMap(([scope, words]) => (scopes.includes(scope) ? [words] : []));
  if (!isForApi(resource, baseUrl)) return { first: named, later: [] };
  return { first: [...named, ...ANY_APP], later: isOfficialClient(clientId) ? OFFICIAL_TOOL : [] };
}

const list = (powers: readonly string[]): Html => html`<ul>${powers.map((power) => html`<li>${power}</li>`)}</ul>`;

/** `GET /login/consent`: which app requests what. Without a session that is fresh enough, redirects to sign in first. */
export async function showConsent(visit: Visit): Promise<void> {
  const uid = visit.query.get('interaction') ?? '';
  const { request, record } = await readWaiting(visit, uid);
  const target = request.redirectTarget;
  const action = visit.paths.consent;
  const { first, later } = powersOf(request, visit.baseUrl);
  const typed = html`<p>And by commands that you type:</p>\n${list(later)}\n<p class="soft">It cannot delete your account.</p>`;
  const body = html`<p>You are signed in as <strong>${record.codename}</strong>. The app <strong>${request.clientName}</strong> will be able to:</p>
${list(first)}
${later.length > 0 ? typed : html`<p class="soft">It cannot change your names, hide you, add or revoke devices, join or manage leagues, or delete your account.</p>`}
<p class="soft">${PUBLIC_TOTALS}</p>
<p class="soft">${describeApp(request.clientId, target && target.shown)}</p>
${form(visit, action, { interaction: uid, answer: 'allow' }, button('Allow', 'main'))}
${form(visit, action, { interaction: uid, answer: 'refuse' }, button('Cancel'))}
<p><a href="${loginAddress(visit, consentAddress(visit, uid), true)}">Use another account</a></p>`;
  visit.page(`Allow ${request.clientName}?`, body, { formTargets: target === null ? [] : [target.formTarget] });
}

/** `POST /login/consent`: passes the decision to the authorization server, by a ticket that is valid only for this request. */
export async function answerConsent(visit: Visit): Promise<void> {
  const uid = visit.form.get('interaction') ?? '';
  const { request, session, account } = await readWaiting(visit, uid);
  const { accounts } = visit;
  const allowed = visit.form.get('answer') === 'allow';
  const { operator, identity, authenticatedAt } = session;
  const data = { uid, subject: account.subject, operator, identity, authenticatedAt, allowed };
  const about = hashOf(account.subject);
  const ticket = await accounts.oneTime.issue({ kind: 'ticket', data, lifetimeMs: TICKET_LIFETIME_MS, about });
  await accounts.audit.record({
    kind: allowed ? 'access_granted' : 'access_refused',
    operator,
    client: visit.client,
    detail: { app: request.clientName, client_id: request.clientId },
  });
  visit.redirect(`${visit.authUrl}${ROUTES.interaction}/${uid}?ticket=${ticket}`);
}

/** The request, and who decides about it. Otherwise ends with a page, or the browser signs in first. */
async function readWaiting(visit: Visit, uid: string) {
  const request = await readRequest(visit.currentProvider, uid);
  if (request === null) {
    return visit.problem(400, 'This request has expired', 'Go back to the app you came from and start again.');
  }
  const owner = isSignedInFor(visit, request) ? await readOwner(visit) : null;
  return { request, ...(owner ?? signInFirst(visit, consentAddress(visit, uid), true)) };
}

/** Whether the sign-in is as recent as the request requires. */
function isSignedInFor({ clock, session }: Visit, request: AuthorizationRequest): boolean {
  if (session === null) return false;
  if (request.wantsFreshLogin && session.authenticatedAt < request.madeAt) return false;
  const { maxAgeMs } = request;
  return (
    maxAgeMs === null || session.authenticatedAt >= request.madeAt || clock() - session.authenticatedAt <= maxAgeMs
  );
}

function consentAddress({ paths }: Visit, uid: string): string {
  return `${paths.consent}?interaction=${encodeURIComponent(uid)}`;
}
