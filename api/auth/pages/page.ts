import { Html, html } from './html.ts';
import { STYLE } from './style.ts';

export interface PageContent {
  readonly title: string;
  readonly body: Html;
}

/** A whole page: works without scripts, on any width, in light and dark. */
export function renderPage({ title, body }: PageContent): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Upsilon</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<header>Υ Upsilon</header>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.text;
}
