import { type Html, html, trusted } from '../../html.ts';
import { STYLE } from './style.ts';

export interface PageContent {
  readonly title: string;
  readonly body: Html;
  /** One sentence for search results, and the canonical URL. Without it, the page has `noindex`. */
  readonly indexed?: { readonly description: string; readonly canonical: string };
}

/** The logo, as on the website. */
const MARK = trusted(
  '<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path d="M3 4c5 0 9 4 9 9v8"/><path d="M21 4c-5 0-9 4-9 9v8"/></svg>',
);

/** A complete page. Works without scripts, at any width, in light and dark. `home` is the website's URL. */
export function renderPage({ title, body, indexed }: PageContent, home?: string): string {
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${
  indexed === undefined
    ? html`<meta name="robots" content="noindex">`
    : html`<meta name="description" content="${indexed.description}">
<link rel="canonical" href="${indexed.canonical}">`
}
<title>${title} · Upsilon</title>
<style>${trusted(STYLE)}</style>
</head>
<body>
<header>${home === undefined ? html`${MARK} Upsilon` : html`<a href="${home}/">${MARK} Upsilon</a>`}</header>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`);
}
