import * as z from 'zod';
import { canonicalAddress, hashOf, type SignedInPerson } from '../../../engine/accounts/index.ts';
import { type Html, html } from '../pages/html.ts';
import { complete } from './complete.ts';
import type { SignInContext } from './context.ts';
import { button, form } from './forms.ts';
import { purposeOf } from './fresh-session.ts';
import { ADDRESS_PERIOD_MS, MAILS_PER_ADDRESS } from './limits.ts';
import { PATHS, pathOf } from './paths.ts';
import { showProblem } from './problem-pages.ts';
import { PROVIDER_TITLES } from './provider-titles.ts';
import type { Visit } from './visit.ts';

const MINUTE_MS = 60_000;

/** How long a link is good, in milliseconds. */
export const LINK_LIFETIME_MS = 15 * MINUTE_MS;

/** Somebody whom an upstream vouched for, and whose identity the link connects to the account that has the address. */
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
 * `POST /login/email`: mails a link. The answer is the same whatever is known of the address, and does not wait for the
 * mail.
 */
export async function mailLink(context: SignInContext, visit: Visit): Promise<void> {
  const purpose = purposeOf(context, visit);
  if (purpose === null) return;
  const address = canonicalAddress(visit.form.get('email') ?? '');
  if (address === null) {
    return showProblem(visit, 400, 'That is no e-mail address', 'Go back and check it.');
  }
  const next = visit.form.get('next');
  if (!requestLink(context, visit, address, { next, ...purpose, person: null })) return;
  visit.page({
    title: 'Look into your mail',
    body: html`<p>If mail reaches <strong>${address}</strong>, a link is on its way. It works for ${LINK_LIFETIME_MS / MINUTE_MS} minutes, once, and in this browser.</p>
<p class="soft">Nothing there? Look among unwanted mail, or go back and check the address.</p>
${outboxLink(context)}`,
  });
}

/** Mails a link after the answer; false when the client asked for too many, and was answered that. */
export function requestLink(
  context: SignInContext,
  visit: Visit,
  address: string,
  purpose: { readonly next: string | null; readonly linkTo: number | null; readonly person: SignedInPerson | null },
): boolean {
  const rate = context.limits.take('mail', visit.client);
  if (!rate.allowed) {
    visit.ctx.set({ ...rate.headers, 'Retry-After': String(rate.resetSeconds) });
    showProblem(visit, 429, 'Too many mails', `You can ask for another one in ${rate.resetSeconds} s.`);
    return false;
  }
  context.later(send(context, address, { address, browser: visit.browser, ...purpose }));
  return true;
}

export function outboxLink(context: SignInContext): Html | null {
  if (context.mailer === null || context.mailer.outbox() === null) return null;
  return html`<p><a href="${pathOf(context, PATHS.outbox)}">Open the outbox of this machine</a></p>`;
}

async function send(context: SignInContext, address: string, data: z.infer<typeof LINK>): Promise<void> {
  const { accounts, mailer, logger, loginUrl } = context;
  const about = hashOf(address);
  if ((await accounts.oneTime.countSince(about, ADDRESS_PERIOD_MS)) >= MAILS_PER_ADDRESS) {
    logger.warn({}, 'no link was mailed: the address has had its share');
    return;
  }
  const secret = await accounts.oneTime.issue({ kind: 'link', data, lifetimeMs: LINK_LIFETIME_MS, about });
  const { subject, what } = wordsOf(data);
  await mailer?.send({
    to: address,
    subject,
    text: `Open this link to ${what}:

${loginUrl}${PATHS.link}?token=${secret}

It works for ${LINK_LIFETIME_MS / MINUTE_MS} minutes, once, in the browser in which you asked for it.
If you did not ask for it, do nothing: nothing has happened.
`,
  });
}

/** What a link does, in a mail. */
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

/** `GET /login/link`: shows what the link does, and does nothing, because mail scanners look at links, too. */
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
      : html`<p><strong>${PROVIDER_TITLES[person.provider]}: ${person.label}</strong> will sign in to the account with the address <strong>${address}</strong>. Go on only if both are yours.</p>`;
  visit.page({
    title,
    body: html`${what}\n${form(visit, pathOf(context, PATHS.link), { token }, button(label, 'main'))}`,
  });
}

/** `POST /login/link`: spends the link. */
export async function useLink(context: SignInContext, visit: Visit): Promise<void> {
  const token = visit.form.get('token') ?? '';
  const { oneTime } = context.accounts;
  const record = await oneTime.peek('link', token);
  const known = LINK.safeParse(record?.data);
  // Another browser spends nothing: whoever looks over a shoulder cannot use a link up.
  if (record?.state === 'fresh' && known.success && known.data.browser !== visit.browser) return refuseBrowser(visit);
  const link = LINK.safeParse(record?.state === 'fresh' ? await oneTime.consume('link', token) : null);
  if (!link.success) return refuse(context, visit, record === null ? null : record.state === 'late' ? 'late' : 'used');
  const { address, next, linkTo } = link.data;
  const mailed = { provider: 'email_magic_link', subject: address, label: address, verifiedEmail: address } as const;
  await complete(context, visit, link.data.person ?? mailed, { next, linkTo, knownAddress: 'join' });
}

function refuse(context: SignInContext, visit: Visit, state: 'fresh' | 'used' | 'late' | null): void {
  const reason =
    state === 'used'
      ? 'It was used before, and works only once.'
      : state === 'late'
        ? `It is older than ${LINK_LIFETIME_MS / MINUTE_MS} minutes.`
        : 'It is not one of ours, or much too old. Was it copied whole?';
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
    'Open the link where you asked for it',
    'A link works only in the browser in which it was asked for, so that a stolen one is worth nothing. Copy it there, or ask for a new one here.',
  );
}
