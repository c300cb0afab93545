import { type Html, html } from '../../html.ts';
import { button, foldedForm, form } from './forms.ts';
import { PATHS } from './paths.ts';
import { safeReturn } from './safe-return.ts';
import type { Visit } from './visit.ts';

/** The path or URL after sign-in: the wanted one if it is safe, else the account page. */
export function nextOf({ loginUrl, siteUrl, paths }: Visit, wanted: string | null): string {
  const origins = [new URL(loginUrl).origin, new URL(siteUrl).origin];
  return safeReturn(wanted, loginUrl, origins) ?? paths.account;
}

/** `GET /login`: every way to sign in. A signed-in browser is redirected, unless `fresh` requires another sign-in. */
export function showLogin(visit: Visit): void {
  const wanted = visit.query.get('next');
  if (visit.session !== null && visit.query.get('fresh') !== '1') return visit.redirect(nextOf(visit, wanted));
  const description =
    'Sign in to Upsilon, the leaderboard of AI operators. Your first sign-in creates a free operator account.';
  const body = html`<p class="soft">Your first sign-in creates a free operator account.</p>
${signInForms(visit, { next: wanted, intent: null })}
<p class="soft">What is stored about you, and for how long: <a href="${visit.siteUrl}/privacy">privacy</a>.</p>`;
  visit.page('Sign in', body, {
    indexed: { description, canonical: `${visit.loginUrl}${PATHS.login}` },
    formTargets: visit.upstreams.flatMap(({ origin }) => origin ?? []),
  });
}

/** Where links are on an installation that sends no mail; null on others. */
export function unsentNote({ mailer, paths, inDevelopment }: Visit): Html | null {
  if (mailer === null || mailer.outbox === null) return null;
  return html`<p class="soft">This installation sends no e-mail: links appear in ${inDevelopment ? html`the <a href="${paths.outbox}">outbox</a> and ` : null}the log.</p>`;
}

/** The forms of every way to sign in, or to add one to an account. */
export function signInForms(visit: Visit, fields: { readonly next: string | null; readonly intent: 'link' | null }) {
  const { upstreams, mailer, paths, inDevelopment } = visit;
  const isLink = fields.intent === 'link';
  const verb = isLink ? 'Add' : 'Continue with';
  const emailFields = html`<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" required maxlength="254">
${isLink ? null : html`<label><input type="checkbox" name="letters" value="on"> Mail me a letter about my rank each week</label>`}
${isLink ? button('E-mail me a link to add it') : button('E-mail me a sign-in link', 'main')}`;
  const parted = upstreams.length === 0 ? null : html`<hr>`;
  return html`${upstreams.map(({ name, title }) => form(visit, `${paths.login}/${name}`, fields, button(`${verb} ${title}`)))}
${mailer === null ? null : html`${parted}${form(visit, paths.email, fields, emailFields)}`}
${unsentNote(visit)}
${inDevelopment && !isLink ? developmentForm(visit, fields) : null}`;
}

function developmentForm(visit: Visit, fields: Readonly<Record<string, string | null>>): Html {
  const nameFields = html`<label for="name">Any name</label>
<input id="name" name="name" type="text" autocomplete="off" required maxlength="32" pattern="[a-z0-9\\-]{1,32}">
${button('Sign in without a password')}`;
  const { mailer, upstreams } = visit;
  // The only way that works at once, where no mail is sent.
  const isFirst = upstreams.length === 0 && mailer?.outbox !== null;
  const content = html`${form(visit, visit.paths.development, fields, nameFields)}
<p class="soft">For local use only: anyone on this machine can sign in as anyone.</p>`;
  return html`<hr>${foldedForm('Development sign-in', isFirst, content)}`;
}
