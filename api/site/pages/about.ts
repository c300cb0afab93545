import type { Config } from '../../../config/config.ts';
import { DAY_MS, HOUR_MS } from '../../../config/units.ts';
import { SESSION_LIFETIME_MS } from '../../../engine/accounts/index.ts';
import { PUBLIC_TOTALS } from '../../../engine/contract/unranked.ts';
import { BROWSER_COOKIE_MS } from '../../auth/sign-in/cookies.ts';
import { MAIL_PROOF_LIFETIME_MS } from '../../auth/sign-in/mail-proofs.ts';
import { html } from '../../html.ts';
import { DOCUMENT_CACHE } from '../../http/standard-headers.ts';
import { definePage, type PageEntry } from '../page.ts';
import { type Inline, m } from '../render/inline.ts';
import type { SitePage } from '../render/page-text.ts';
import { bullets, heading, lede, type Part, prose, table } from '../render/parts.ts';
import { storedKinds } from './stored-kinds.ts';

/** A page of the installation, made once. */
function documentPage(
  path: '/about' | '/privacy',
  operationId: string,
  page: Pick<SitePage, 'title' | 'description'>,
  partsOf: (config: Config) => readonly Part[],
): PageEntry {
  return definePage({
    surface: 'site',
    path,
    operationId,
    summary: page.title,
    listed: { title: page.title, about: page.description },
    cache: DOCUMENT_CACHE,
    content: (_, { config }) => ({
      make: () => ({ ...page, surface: 'site', canonical: `site:${path}`, parts: partsOf(config) }),
      kept: path,
    }),
  });
}

export const about = documentPage(
  '/about',
  'getAboutPage',
  { title: 'About Upsilon', description: 'What this board is for, who runs it, and how to reach them.' },
  (config) => [
    lede(
      m`Upsilon is a public leaderboard of people who use AI tools. It shows who gets the most out of each token, so that others can see what is possible.`,
    ),
    bullets(
      m`Only people who submit are ranked. Nothing is estimated, and no sample data is shown.`,
      m`Your prompts, code and paths never leave your machine: four counts for each tool do.`,
      m`Every number comes with [the method](login:/methodology) that made it. Reading is free, by people and by programs.`,
    ),
    heading(2, 'Who runs it'),
    prose(runBy(config)),
    heading(2, 'Contact'),
    prose(config.contact === null ? m`This installation names no contact.` : contactOf(config.contact)),
    heading(2, 'Rules'),
    bullets(
      ...(config.termsUrl === undefined ? [] : [m`${elsewhere('Terms of use', config.termsUrl)}.`]),
      m`Submit your own usage, under one codename. Counts that cannot be true are excluded, and [you can appeal](login:/methodology#plausibility).`,
      m`You can hide your operator, export what is stored, and delete your account at [your account](login:/account) at any time. [Privacy](site:/privacy) says what is stored.`,
    ),
  ],
);

export const privacy = documentPage(
  '/privacy',
  'getPrivacyPage',
  { title: 'Privacy', description: 'What this service stores about you, what is public, and for how long it is kept.' },
  (config) => [
    lede(m`What this service stores about you, who sees it, and for how long it is kept.`),
    prose(
      m`${runBy(config)}${config.contact === null ? m`` : m` ${contactOf(config.contact)}`}`,
      ...(config.privacyUrl === undefined
        ? []
        : [m`Their own words: ${elsewhere('privacy policy', config.privacyUrl)}.`]),
    ),
    heading(2, 'What is public'),
    bullets(
      m`Your codename, your display name, your rank, tier, Yield, leverage and velocity, and the tools that you use most. ${PUBLIC_TOTALS}`,
      m`Charts of your rank and Yield since you joined. Only if you [open your history](site:/developers/open-rows): your accepted submissions as they were signed, with all counts, tool, version and times, and your keys with when they were enrolled and revoked.`,
      m`Never public: addresses, ways to sign in, and names of devices. Prompts, code, file names and host names are never sent.`,
    ),
    heading(2, 'What is stored'),
    table({
      caption: 'What is stored, and for how long',
      className: 'stacked',
      columns: [{ label: 'What', is: ['row'] }, { label: 'Kept' }, { label: 'It holds' }],
      rows: storedKinds(config).map(({ what, kept, holds }) => [what, kept, holds]),
    }),
    prose(m`While requests are counted, from a minute to a day, the network address that they come from is in memory.`),
    heading(2, 'In your browser'),
    bullets(
      m`Three cookies, of sign-in alone: one keeps you signed in for ${SESSION_LIFETIME_MS / DAY_MS} days, one ties forms and links to your browser for ${BROWSER_COOKIE_MS / HOUR_MS} hours, and one lets you ask for a link by mail after a stranger asked for too many, for ${MAIL_PROOF_LIFETIME_MS / DAY_MS} days.`,
      m`Once you opened your account, a mark that you did: then the board shows your own place. Signing out and coming back removes it.`,
      m`No tracking, no advertising, and nothing of other sites.`,
    ),
    heading(2, 'What you can do'),
    prose(
      m`At [your account](login:/account) you can export everything that is stored about you, hide your operator, end apps and devices, and delete your account. Copies that others made of public pages are out of reach.`,
    ),
  ],
);

function runBy({ operatedBy }: Config): Inline {
  return operatedBy === undefined
    ? m`This copy of the service does not say who runs it.`
    : m`This service is run by **${operatedBy}**.`;
}

function contactOf(contact: string): Inline {
  return m`You can reach them at ${elsewhere(contact.replace(/^(?:mailto|tel):/, ''), contact)}.`;
}

/** A link to an address of the settings. */
function elsewhere(label: string, address: string): Inline {
  return { html: () => html`<a href="${address}">${label}</a>`, markdown: () => `[${label}](${address})` };
}
