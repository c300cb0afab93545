import * as z from 'zod';
import { HOUR_MS, MINUTE_MS, MS_PER_SECOND, secondsText } from '../../../config/units.ts';
import { canonicalAddress, hashOf, SIGN_IN_PROVIDERS, type SignedInPerson } from '../../../engine/accounts/index.ts';
import type { Mail } from '../../../ops/runtime/mailer.ts';
import { html } from '../../html.ts';
import type { RateDecision } from '../../http/rate-limit/rate-limiter.ts';
import { completeSignIn } from './complete-sign-in.ts';
import { button, form } from './forms.ts';
import { linkToOf } from './fresh-session.ts';
import { unsentNote } from './login-page.ts';
import { PATHS } from './paths.ts';
import type { Visit } from './visit.ts';

export const LINK_LIFETIME_MS = 15 * MINUTE_MS;

/** Per address and requester, not per address: a stranger could otherwise lock the owner out. */
const MAIL_QUOTA = { max: 5, periodMs: HOUR_MS } as const;

/** A person confirmed by an upstream. The link connects that identity to the account that owns the address. */
const PERSON = z.object({
  provider: z.enum(SIGN_IN_PROVIDERS),
  subject: z.string(),
  label: z.string(),
  verifiedEmail: z.string().nullable(),
});

const LINK = z.object({
  address: z.string(),
  browser: z.string(),
  next: z.string().nullable(),
  linkTo: z.number().nullable(),
  person: PERSON.nullable().default(null),
  letters: z.boolean().default(false),
});

/** `POST /login/email`: mails a link. Neither the response nor its time depends on whether the address has an account. */
export async function mailLink(visit: Visit): Promise<void> {
  const linkTo = linkToOf(visit);
  const address = canonicalAddress(visit.form.get('email') ?? '');
  if (address === null) {
    return visit.problem(400, 'That is not a valid e-mail address', 'Check it and enter it again.');
  }
  const next = visit.form.get('next');
  await requestLink(visit, address, { next, linkTo, person: null }, visit.form.get('letters') === 'on');
  const unsent = unsentNote(visit);
  const body = html`<p>${unsent === null ? 'We have sent a link to' : 'There is a link for'} <strong>${address}</strong>. It works once, in this browser, for the next ${LINK_LIFETIME_MS / MINUTE_MS} minutes.</p>
${unsent ?? html`<p class="soft">No e-mail? Look in your spam folder.</p>`}
<p class="soft">Not your address? <a href="${visit.back.to}">${visit.back.text}</a></p>`;
  visit.page(unsent === null ? 'Check your e-mail' : 'Open your link', body);
}

/** Mails a link after the response. A client that is over its quota gets a page with 429. */
export async function requestLink(
  visit: Visit,
  address: string,
  purpose: { readonly next: string | null; readonly linkTo: number | null; readonly person: SignedInPerson | null },
  letters = false,
): Promise<void> {
  const data = { address, browser: visit.browser, letters, ...purpose };
  const secret = await issueLink(visit, data);
  if (typeof secret === 'string') return visit.later(send(visit, secret, data));
  visit.ctx.set({ ...secret.headers, 'Retry-After': String(secret.resetSeconds) });
  visit.problem(429, 'Too many e-mails', `You can request another one in ${secondsText(secret.resetSeconds)}.`);
}

/**
 * Issues a link's secret within the requester's quota. A browser that proves an earlier sign-in with the address has a quota that
 * no other client can use up; above it, returns when it resets.
 */
async function issueLink(
  { accounts, limiter, mailProofs, clock, ctx, client }: Visit,
  data: z.infer<typeof LINK>,
): Promise<string | Pick<RateDecision, 'headers' | 'resetSeconds'>> {
  const { address } = data;
  const proof = await mailProofs.find(ctx, address);
  if (proof === null) {
    const rate = limiter.take('mail', client);
    if (!rate.allowed) return rate;
  }
  const requester = `link\n${proof === null ? `client ${client}` : `proof ${proof}`}\n${address}`;
  const request = { kind: 'link', data, lifetimeMs: LINK_LIFETIME_MS, about: hashOf(address) } as const;
  const secret = await accounts.oneTime.issueWithin({ requester, ...MAIL_QUOTA }, request);
  if (secret !== null) return secret;
  const { periodMs } = MAIL_QUOTA;
  return { headers: {}, resetSeconds: Math.ceil((periodMs - (clock() % periodMs)) / MS_PER_SECOND) };
}

async function send({ mailer, loginUrl, titles }: Visit, secret: string, data: z.infer<typeof LINK>): Promise<void> {
  const { subject, what } = wordsOf(data, titles);
  await mailer?.send({
    to: data.address,
    subject,
    text: `Open this link to ${what}:

${loginUrl}${PATHS.link}?token=${secret}

It works once, for ${LINK_LIFETIME_MS / MINUTE_MS} minutes, in the browser you requested it from.
If you did not request it, you can ignore this e-mail: nothing has changed.
`,
  });
}

/** What a link does, in the subject and text of its mail, and in the title and button of its page. */
function wordsOf({ linkTo, person }: Pick<z.infer<typeof LINK>, 'linkTo' | 'person'>, titles: Visit['titles']) {
  if (person !== null) {
    const way = titles[person.provider];
    const what = `connect ${way}: ${person.label} to the Upsilon account with this address`;
    return { subject: `Connect ${way} to Upsilon`, what, title: `Connect ${way}`, label: 'Connect and sign in' };
  }
  return linkTo === null
    ? { subject: 'Your Upsilon sign-in link', what: 'sign in to Upsilon', title: 'Sign in', label: 'Sign in' }
    : {
        subject: 'Confirm your e-mail address for Upsilon',
        what: 'add this address to your Upsilon account',
        title: 'Add this address',
        label: 'Add address',
      };
}

/** `GET /login/link`: shows what the link does. Only the form consumes it, because mail scanners also open links. */
export async function showLink(visit: Visit): Promise<void> {
  const token = visit.query.get('token') ?? '';
  const link = await readLink(visit, token);
  const { address, person } = link;
  const { title, label } = wordsOf(link, visit.titles);
  const what =
    person === null
      ? html`<p>as <strong>${address}</strong></p>`
      : html`<p><strong>${visit.titles[person.provider]}: ${person.label}</strong> will be able to sign in to the account with the address <strong>${address}</strong>. Continue only if both are yours.</p>`;
  visit.page(title, html`${what}\n${form(visit, visit.paths.link, { token }, button(label, 'main'))}`);
}

/** `POST /login/link`: consumes the link. */
export async function useLink(visit: Visit): Promise<void> {
  const token = visit.form.get('token') ?? '';
  // Another browser does not consume the link, so a person who has seen it cannot use it up.
  const link = await readLink(visit, token);
  if ((await visit.accounts.oneTime.consume('link', token)) === null) return refuse(visit, 'used');
  const { address, next, linkTo, letters } = link;
  await visit.mailProofs.add(visit.ctx, address);
  const mailed = { provider: 'email_magic_link', subject: address, label: address, verifiedEmail: address } as const;
  await completeSignIn(visit, link.person ?? mailed, { next, linkTo, knownAddress: 'join', letters });
}

/** A fresh link of this browser. Otherwise ends the request with a page that says why it does not work. */
async function readLink(visit: Visit, token: string): Promise<z.infer<typeof LINK>> {
  const record = await visit.accounts.oneTime.peek('link', token);
  const link = LINK.safeParse(record?.data);
  if (record === null || !link.success || record.state !== 'fresh') return refuse(visit, record?.state ?? null);
  if (link.data.browser === visit.browser) return link.data;
  return visit.problem(
    400,
    'Open the link in the browser that requested it',
    'A link works only in the browser that requested it, so a stolen link is useless. Open it there, or request a new one here.',
  );
}

function refuse(visit: Visit, state: 'fresh' | 'used' | 'late' | null): never {
  const reason =
    state === 'used'
      ? 'It has already been used, and a link works only once.'
      : state === 'late'
        ? `It is older than ${LINK_LIFETIME_MS / MINUTE_MS} minutes.`
        : 'We do not recognise it, or it expired long ago. Check that you copied all of it.';
  return visit.problem(400, 'This link does not work', reason, { to: visit.paths.login, text: 'Get a new link' });
}

/** `GET /login/outbox`: unsent mail of a local installation. */
export function showOutbox(visit: Visit, mails: readonly Mail[]): void {
  const body = html`<p class="soft">E-mails that this installation would have sent, newest first.</p>
${mails.length === 0 ? html`<p>Nothing here yet.</p>` : null}
${mails.map(
  ({ to, subject, text }) => html`<hr><h2>${subject}</h2><p class="soft">to ${to}</p>
${text.split('\n\n').map((paragraph) => html`<p>${linked(paragraph)}</p>`)}`,
)}`;
  visit.page('Outbox', body);
}

function linked(paragraph: string) {
  return /^https?:\/\/\S+$/.test(paragraph) ? html`<a href="${paragraph}"><code>${paragraph}</code></a>` : paragraph;
}
