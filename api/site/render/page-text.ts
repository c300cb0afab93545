import type { Frame } from '../../auth/page.ts';
import { type Html, html, NOTHING, trusted } from '../../html.ts';
import type { Addresses } from '../../http/hosts.ts';
import type { PageForm } from '../../http/page-forms.ts';
import type { Surface } from '../../http/route.ts';
import { SCRIPT, STYLESHEET } from '../assets/site-assets.ts';
import { createResolver, type Ref, type Resolver } from './addresses.ts';
import { type Inline, text } from './inline.ts';
import { blocks, type Part } from './parts.ts';

/** A page of the website, independent of its form. */
export interface SitePage {
  readonly surface: Surface;
  readonly canonical: Ref;
  readonly title: string;
  /** One sentence, for search results and previews. */
  readonly description: string;
  /** The title as it is shown; `title` unless given. */
  readonly heading?: Inline;
  /** A line above the title, such as the section of the page. */
  readonly above?: Inline;
  readonly parts: readonly Part[];
  /** The picture of link previews; a static one without it. */
  readonly card?: Ref;
  /** The page of an operator whose feeds it names besides those of the board. */
  readonly feedsOf?: Ref;
  /** schema.org data, as JSON-LD. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** False for error pages: they get `noindex` and no canonical address. */
  readonly indexed?: boolean;
  /** The word of the navigation that it belongs to. */
  readonly area?: 'Board' | 'Compare' | 'Methodology' | 'Developers';
  /** In large type without header and footer, for a screen in a room: the only pages that other sites may frame. */
  readonly screen?: true;
  /** The board that its script follows while it is open, and the version of it that is shown. */
  readonly follows?: { readonly events: Ref; readonly version: number | null };
  /** Has a menu beside it: the pages of its area, and its own headings. */
  readonly menu?: true;
  /** Pages of words are narrow, pages of tables wide. */
  readonly width?: 'words' | 'tables';
}

const SITE_NAME = 'Upsilon';

/** Links of a screen leave the frame that it may be in. */
const SCREEN_HEAD = trusted('<base target="_top">');

/** Links of every page's header: a word, which is the `area` of its pages, the target, and the pages of a menu beside them. */
export type Navigation = readonly {
  readonly label: string;
  readonly ref: Ref;
  readonly pages: readonly { readonly title: string; readonly ref: Ref }[];
}[];

export const PAGE_TYPES: Readonly<Record<PageForm, string>> = {
  html: 'text/html; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
};

export function pageHeaders(
  addresses: Addresses,
  { screen = false }: { readonly screen?: boolean } = {},
): Record<string, string> {
  const origins = new Set([addresses.siteUrl, addresses.loginUrl].map((address) => new URL(address).origin));
  const own = ["'self'", ...origins].join(' ');
  return {
    Vary: 'Accept',
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      `img-src ${own}`,
      "connect-src 'self'",
      `form-action ${own}`,
      `frame-ancestors ${screen ? '*' : "'none'"}`,
      "base-uri 'none'",
    ].join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  };
}

export function pageText(page: SitePage, form: PageForm, addresses: Addresses, navigation: Navigation): string {
  return form === 'html' ? pageHtml(page, addresses, navigation) : pageMarkdown(page, addresses);
}

/** A page as a complete Markdown document. Links are absolute. */
export function pageMarkdown(page: SitePage, addresses: Addresses): string {
  const to = createResolver(addresses, page.surface);
  const { heading = text(page.title), above, parts, indexed = true } = page;
  const title: Part = { ...heading, markdown: () => `# ${heading.markdown(to)}` };
  const body = blocks([title, ...(above === undefined ? [] : [above]), ...parts]).markdown(to);
  return indexed ? `${body}\n\n---\n\nThis page: <${to.far(page.canonical)}>\n` : `${body}\n`;
}

/** A page as a complete HTML document. */
function pageHtml(page: SitePage, addresses: Addresses, navigation: Navigation): string {
  const to = createResolver(addresses, page.surface);
  const { area, heading = text(page.title), above, parts, width = 'words', screen = false, follows } = page;
  const followed = follows && html` data-events="${to.near(follows.events)}" data-version="${follows.version}"`;
  const main = html`<main id="content" class="${width}"${followed}>
<header class="title">${above && html`<p class="above">${above.html(to)}</p>`}<h1>${heading.html(to)}</h1></header>
${page.menu === true ? withMenu(page, navigation, to) : parts.map((part) => html`${part.html(to)}\n`)}</main>`;
  const head = headHtml(page, to);
  if (!screen) return documentHtml({ head, area, main }, to, addresses, navigation);
  return String(html`<!doctype html>
<html lang="en"><head>
${head}${SCREEN_HEAD}
</head>
<body class="screen">
${main}
</body></html>
`);
}

const item = (ref: string, label: Html | string, isCurrent = false): Html =>
  html`<li><a href="${ref}"${isCurrent ? html` aria-current="page"` : NOTHING}>${label}</a></li>`;

/** The parts of a page beside a menu of its area and of its headings, and links to the pages before and after it. */
function withMenu({ area, canonical, parts }: SitePage, navigation: Navigation, to: Resolver): Html {
  const inner = html`${parts.map((part) => html`${part.html(to)}\n`)}`;
  const pages = navigation.find(({ label }) => label === area)?.pages ?? [];
  const at = pages.findIndex(({ ref }) => ref === canonical);
  const own = Array.from(String(inner).matchAll(/<h2 id="([^"]+)">([^<]*)</g), ([, id = '', label = '']) =>
    item(`#${id}`, trusted(label)),
  );
  const beside = [
    ...(at > 0 ? [['Previous', pages[at - 1]!] as const] : []),
    ...(at >= 0 && at < pages.length - 1 ? [['Next', pages[at + 1]!] as const] : []),
  ].map(([word, { title, ref }]) => html`<li>${word}: <a href="${to.near(ref)}">${title}</a></li>`);
  return html`<div class="with-menu"><div class="menu">
${pages.length === 0 ? NOTHING : html`<nav aria-label="${area}"><ul>${pages.map(({ ref, title }) => item(to.near(ref), title, ref === canonical))}</ul></nav>`}
${own.length < 3 ? NOTHING : html`<nav aria-label="On this page"><p>On this page</p><ul>${own}</ul></nav>`}
</div><div>
${inner}${beside.length === 0 ? NOTHING : html`<nav class="pages" aria-label="Beside"><ul>${beside}</ul></nav>`}
</div></div>\n`;
}

/** The frame of every page: what is in its head and its main part is the page's. */
function documentHtml(
  { head, area, main }: { readonly head: Html; readonly area: string | undefined; readonly main: Html },
  to: Resolver,
  addresses: Addresses,
  navigation: Navigation,
): string {
  return String(html`<!doctype html>
<html lang="en">
<head>
${head}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
${headerHtml(area, navigation, to)}
${main}
${footerHtml(to, addresses)}
</body>
</html>
`);
}

/** Pages of sign-in and of accounts, in the same frame; `here` is their surface. */
export function createFrame(addresses: Addresses, navigation: Navigation, here: Surface): Frame {
  const to = createResolver(addresses, here);
  return ({ title, body, indexed, width = 'words' }) => {
    const found =
      indexed === undefined
        ? NO_INDEX
        : html`<meta name="description" content="${indexed.description}">\n<link rel="canonical" href="${indexed.canonical}">`;
    const main = html`<main id="content" class="own ${width}">
<header class="title"><h1>${title}</h1></header>
${body}
</main>`;
    const head = html`${commonHead(`${title} · ${SITE_NAME}`)}\n${found}`;
    return documentHtml({ head, area: 'Account', main }, to, addresses, navigation);
  };
}

const NO_INDEX = trusted('<meta name="robots" content="noindex">');

function commonHead(title: string): Html {
  return html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#f7f5f0" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#12161a" media="(prefers-color-scheme: dark)">
<title>${title}</title>
<link rel="stylesheet" href="${STYLESHEET.path}">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/apple-touch-icon.png">
<script src="${SCRIPT.path}" defer></script>`;
}

function headHtml(page: SitePage, to: Resolver): Html {
  const { title, description, canonical, data, card, feedsOf, indexed = true } = page;
  const full = canonical === 'site:/' ? `${SITE_NAME}: ${title}` : `${title} · ${SITE_NAME}`;
  const address = to.far(canonical);
  return html`${commonHead(full)}
<meta name="description" content="${description}">
${[to.far('site:/').slice(0, -1), ...(feedsOf ? [to.far(feedsOf)] : [])].map((of) => html`<link rel="alternate" type="application/atom+xml" href="${of}/feed.atom"><link rel="alternate" type="application/feed+json" href="${of}/feed.json">`)}
${indexed ? html`<link rel="canonical" href="${address}">\n<link rel="alternate" type="text/markdown" href="${address}">` : NO_INDEX}
${indexed || card !== undefined ? previewHead(full, page, address, to) : NOTHING}
${data && html`<script type="application/ld+json">${jsonLd(data)}</script>`}`;
}

/** JSON in a script element: `<` is escaped, so that no value ends the element or begins a comment. */
function jsonLd(data: Readonly<Record<string, unknown>>): Html {
  return trusted(JSON.stringify({ '@context': 'https://schema.org', ...data }).replaceAll('<', String.raw`\u003c`));
}

/** What other sites show of a link to the page. */
function previewHead(title: string, { description, card }: SitePage, address: string, to: Resolver): Html {
  return html`<meta property="og:site_name" content="${SITE_NAME}">
<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${address}">
<meta property="og:image" content="${to.far(card ?? 'site:/preview.png')}">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta property="og:image:alt" content="${description}">
<meta name="twitter:card" content="summary_large_image">`;
}

/** The header of every page; `area` is the word of the navigation that the page belongs to. */
function headerHtml(area: string | undefined, navigation: Navigation, to: Resolver): Html {
  const links = [...navigation, { label: 'Account', ref: 'login:/account' } as const];
  return html`<header class="site"><div class="bar">
<a class="brand" href="${to.near('site:/')}">${MARK}<span>${SITE_NAME}</span></a>
<nav aria-label="Site"><ul>${links.map(
    ({ label, ref }) =>
      html`<li><a href="${to.near(ref)}"${label === area ? html` aria-current="true"` : NOTHING}>${label}</a></li>`,
  )}</ul></nav>
</div></header>`;
}

function footerHtml(to: Resolver, { termsUrl, privacyUrl, contact, operatedBy }: Addresses): Html {
  return html`<footer class="site"><div class="bar">
<p>Only people who submit are ranked. Nothing is estimated.${operatedBy && html` Run by ${operatedBy}.`}</p>
<ul>
<li><a href="${to.near('site:/about')}">About</a></li>
<li><a href="${to.near('site:/privacy')}">Privacy</a></li>
${privacyUrl && html`<li><a href="${privacyUrl}">Policy</a></li>`}
${termsUrl && html`<li><a href="${termsUrl}">Terms</a></li>`}
${contact && html`<li><a href="${contact}">Contact</a></li>`}
</ul>
<ul>
<li><a href="${to.near('site:/llms.txt')}">llms.txt</a></li>
<li><a href="${to.near('site:/openapi.json')}">OpenAPI</a></li>
<li><a href="${to.near('site:/developers/versioning')}">Versions</a></li>
<li><a href="${to.near('site:/sitemap.xml')}">Sitemap</a></li>
</ul>
</div></footer>`;
}

/** The letter as streams that join. */
const MARK = trusted(
  '<svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path d="M3 4c5 0 9 4 9 9v8"/><path d="M21 4c-5 0-9 4-9 9v8"/></svg>',
);
