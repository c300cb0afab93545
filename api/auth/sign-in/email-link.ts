import * as z from 'zod';
import { MINUTE_MS } from '../../../config/units.ts';
import { canonicalAddress, hashOf, type SignedInPerson } from '../../../engine/accounts/index.ts';
import { type Html, html } from '../../html.ts';
import { completeSignIn } from './complete-sign-in.ts';
import type { SignInContext } from './context.ts';
import { button, form } from './forms.ts';
import { purposeOf } from './fresh-session.ts';
import { MAIL_QUOTA, type SignInRate } from './limits.ts';
import { PATHS, pathOf } from './paths.ts';
import { showProblem } from './problem-pages.ts';
import { PROVIDER_TITLES } from './provider-titles.ts';
import type { Visit } from './visit.ts';

export const LINK_LIFETIME_MS = 15 * MINUTE_MS;

/** A person confirmed by an upstream. The link connects that identity to the account that owns the address. */
const PERSON = z.object({
  provider: z.enum(['github', 'twitter', 'outside', 'development', 'email_magic_link']),
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
});

/**
 * `POST /login/email`: mails a link. The response does not depend on whether the address has an account, and does not wait for
 * the mail.
 */
export async function mailLink(context: SignInContext, visit: Visit): Promise<void> {
  const purpose = purposeOf(context, visit);
  if (purpose === null) return;
  const address = canonicalAddress(visit.form.get('email') ?? '');
  if (address === null) {
    return showProblem(visit, 400, 'That is not a valid e-mail address', 'Go back and check it.');
  }
  const next = visit.form.get('next');
  if (!(await requestLink(context, visit, address, { next, ...purpose, person: null }))) return;
  visit.page({
    title: 'Check your mail',
    body: html`<p>If mail reaches <strong>${address}</strong>, a link is on its way. It works for ${LINK_LIFETIME_MS / MINUTE_MS} minutes, once, and in this browser.</p>
<p class="soft">No mail? Look in your spam folder, or go back and check the address.</p>
${outboxLink(context, visit)}`,
  });
}

/** Mails a link after the response; false when the client is over its quota, and got a 429 page. */
export async function requestLink(
  context: SignInContext,
  visit: Visit,
  address: string,
  purpose: { readonly next: string | null; readonly linkTo: number | null; readonly person: SignedInPerson | null },
): Promise<boolean> {
  const data = { address, browser: visit.browser, ...purpose };
  const issued = await issueLink(context, visit, data);
  if ('resetSeconds' in issued) {
    visit.ctx.set({ ...issued.headers, 'Retry-After': String(issued.resetSeconds) });
    showProblem(visit, 429, 'Too many mails', `You can ask for another one in ${issued.resetSeconds} s.`);
    return false;
  }
  context.later(send(context, issued.secret, data));
  return true;
}

export function outboxLink(context: SignInContext, visit: Visit): Html | null {
  if (!visit.development || context.mailer === null || context.mailer.outbox() === null) return null;
  return html`<p><a href="${pathOf(context, PATHS.outbox)}">Open the outbox of this machine</a></p>`;
}

/**
 * Issues a link's secret within the requester's quota. A browser that proves an earlier sign-in with the address has a quota that
 * no other client can use up.
 */
async function issueLink(
  { accounts, limits, mailProofs, clock }: SignInContext,
  { ctx, client }: Visit,
  data: z.infer<typeof LINK>,
): Promise<{ readonly secret: string } | Pick<SignInRate, 'headers' | 'resetSeconds'>> {
  const { address } = data;
  const proof = await mailProofs.find(ctx, address);
  if (proof === null) {
    const rate = limits.take('mail', client);
    if (!rate.allowed) return rate;
  }
  const requester = `link\n${proof === null ? `client ${client}` : `proof ${proof}`}\n${address}`;
  const request = { kind: 'link', data, lifetimeMs: LINK_LIFETIME_MS, about: hashOf(address) } as const;
  const secret = await accounts.oneTime.issueWithin({ requester, ...MAIL_QUOTA }, request);
  if (secret !== null) return { secret };
  const { periodMs } = MAIL_QUOTA;
  return { headers: {}, resetSeconds: Math.ceil((periodMs - (clock() % periodMs)) / 1_000) };
}

async function send({ mailer, loginUrl }: SignInContext, secret: string, data: z.infer<typeof LINK>): Promise<void> {
  const { subject, what } = wordsOf(data);
  await mailer?.send({
    to: data.address,
    subject,
    text: `Open this link to ${what}:

${loginUrl}${PATHS.link}?token=${secret}

It works for ${LINK_LIFETIME_MS / MINUTE_MS} minutes, once, in the browser in which you requested it.
If you did not request it, ignore this mail: nothing has changed.
`,
  });
}

function wordsOf({ linkTo, person }: z.infer<typeof LINK>): { readonly subject: string; readonly what: string } {
  if (person !== null) {
    const way = PROVIDER_TITLES[person.provider];
    return {
      subject: `Connect ${way}`,
      what: `connect ${way}: ${person.label} to the Upsilon account with this address`,
    };
  }
  return linkTo === null
    ? { subject: 'Your sign-in link', what: 'sign in to Upsilon' }
    : { subject: 'Confirm your address', what: 'add this address to your Upsilon account' };
}

/** `GET /login/link`: shows what the link does. Only the form consumes it, because mail scanners also open links. */
export async function showLink(context: SignInContext, visit: Visit): Promise<void> {
  const token = visit.query.get('token') ?? '';
  const record = await context.accounts.oneTime.peek('link', token);
  const link = LINK.safeParse(record?.data);
  if (record === null || !link.success || record.state !== 'fresh')
    return refuse(context, visit, record?.state ?? null);
  if (link.data.browser !== visit.browser) return refuseBrowser(visit);
  const { address, person, linkTo } = link.data;
  const [title, label] =
    person !== null
      ? [`Connect ${PROVIDER_TITLES[person.provider]}`, 'Connect and sign in']
      : linkTo === null
        ? ['Sign in', 'Sign in']
        : ['Add this address', 'Add it'];
  const what =
    person === null
      ? html`<p>as <strong>${address}</strong></p>`
      : html`<p><strong>${PROVIDER_TITLES[person.provider]}: ${person.label}</strong> will sign in to the account with the address <strong>${address}</strong>. Continue only if both are yours.</p>`;
  visit.page({
    title,
    body: html`${what}\n${form(visit, pathOf(context, PATHS.link), { token }, button(label, 'main'))}`,
  });
}

/** `POST /login/link`: consumes the link. */
export async function useLink(context: SignInContext, visit: Visit): Promise<void> {
  const token = visit.form.get('token') ?? '';
  const { oneTime } = context.accounts;
  const record = await oneTime.peek('link', token);
  const known = LINK.safeParse(record?.data);
  // Another browser does not consume the link, so a person who has seen it cannot use it up.
  if (record?.state === 'fresh' && known.success && known.data.browser !== visit.browser) return refuseBrowser(visit);
  const link = LINK.safeParse(record?.state === 'fresh' ? await oneTime.consume('link', token) : null);
  if (!link.success) return refuse(context, visit, record === null ? null : record.state === 'late' ? 'late' : 'used');
  const { address, next, linkTo } = link.data;
  await context.mailProofs.add(visit.ctx, address);
  const mailed = { provider: 'email_magic_link', subject: address, label: address, verifiedEmail: address } as const;
  await completeSignIn(context, visit, link.data.person ?? mailed, { next, linkTo, knownAddress: 'join' });
}

function refuse(context: SignInContext, visit: Visit, state: 'fresh' | 'used' | 'late' | null): void {
  const reason =
    state === 'used'
      ? 'It was used before, and works only once.'
      : state === 'late'
        ? `It is older than ${LINK_LIFETIME_MS / MINUTE_MS} minutes.`
        : 'It is unknown, or expired long ago. Check that it was copied completely.';
  visit.page(
    {
      title: 'This link does not work',
      body: html`<p>${reason}</p><p><a href="${pathOf(context, PATHS.login)}">Get a new one</a></p>`,
    },
    { status: 400 },
  );
}

function refuseBrowser(visit: Visit): void {
  showProblem(
    visit,
    400,
    'Open the link in the browser that requested it',
    'A link works only in the browser in which it was requested, so that a stolen one is useless. Copy it there, or request a new one here.',
  );
}
