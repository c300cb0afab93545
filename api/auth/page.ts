import { createHash } from 'node:crypto';
import { type Html, html, trusted } from '../html.ts';

export interface PageOptions {
  /** The header of the website's pages; without it, the page shows the logo alone. */
  readonly header?: Html;
  /** One sentence for search results, and the canonical URL. Without it, the page has `noindex`. */
  readonly indexed?: { readonly description: string; readonly canonical: string };
}

const LOGO = trusted(
  '<header class="site"><div class="bar"><span class="brand"><svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path d="M3 4c5 0 9 4 9 9v8"/><path d="M21 4c-5 0-9 4-9 9v8"/></svg><span>Upsilon</span></span></div></header>',
);

/** A complete page. Works without scripts, at any width, in light and dark. */
export function renderPage(title: string, body: Html, { header = LOGO, indexed }: PageOptions = {}): string {
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
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${trusted(STYLE)}</style>
</head>
<body>
${header}
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`);
}

/**
 * Headers that prevent framing, caching, content sniffing, and forms to other origins. `formTargets` are allowed besides the
 * page's origin, and include targets of redirects; without `scripts`, sources of scripts, no script runs.
 */
export function pageHeaders(formTargets: readonly string[] = [], scripts?: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    ...(scripts === undefined ? [] : [`script-src ${scripts}`]),
    `style-src ${STYLE_HASH}`,
    "img-src 'self'",
    // As on the website: audit tools that run inside a page fetch robots.txt.
    "connect-src 'self'",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    // With no-referrer, browsers send forms with the origin null, as forms of other sites may have.
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    'Cache-Control': 'no-store',
  };
}

/** The stylesheet of the sign-in pages, inlined into every page. */
const STYLE = `
:root{color-scheme:light dark;--ink:#1b1d1f;--soft:#5b5f62;--paper:#f7f5f0;--raised:#fffefb;--edge:#dcd7cb;--rim:#8a8577;--accent:#075f74;--ember:#a8430b;--on-accent:#fffefb;--bad:#a40e26}
@media (prefers-color-scheme:dark){:root{--ink:#ece8df;--soft:#a9aca9;--paper:#12161a;--raised:#191f24;--edge:#2c343a;--rim:#6f7a80;--accent:#79c9dc;--ember:#f2a668;--on-accent:#12161a;--bad:#ff9a9a}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;overflow-wrap:break-word}
.brand,h1,h2{font-family:"Iowan Old Style","Palatino Nova",Palatino,"URW Palladio L","Book Antiqua",Georgia,serif;font-weight:500}
header{border-bottom:1px solid var(--edge)}
.bar{display:flex;flex-wrap:wrap;gap:.25rem 2rem;align-items:center;justify-content:space-between;max-width:74rem;margin:0 auto;padding:.75rem 1.25rem}
.brand{display:inline-flex;gap:.5rem;align-items:center;font-size:1.25rem;color:var(--ink);text-decoration:none}
.mark{fill:none;stroke:var(--accent);stroke-width:2.25;stroke-linecap:round}
.mark path+path{stroke:var(--ember)}
.bar ul{display:flex;flex-wrap:wrap;gap:0 1.25rem;list-style:none;margin:0;padding:0}
.bar li a{display:inline-block;padding:.3rem 0;font-size:.9375rem;color:var(--ink);text-decoration:none}
.bar li a:hover{text-decoration:underline}
.bar li a[aria-current]{box-shadow:inset 0 -2px var(--ember)}
@media (max-width:36rem){.bar{padding:.75rem 1rem}.bar ul{gap:0 .6rem}.bar li a{font-size:.8125rem}}
main{max-width:28rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{font-size:2rem;line-height:1.2;letter-spacing:-.01em;margin:0 0 .75rem}
h3{font-size:1.05rem;line-height:1.3;margin:1.5rem 0 .25rem}
h2{font-size:1.3rem;line-height:1.25;margin:2.25rem 0 .5rem}
p{margin:.5rem 0 1rem}
.soft{color:var(--soft)}
.bad{color:var(--bad);font-weight:600}
a{color:var(--accent)}
form{margin:0 0 .75rem}
label{display:block;font-weight:600;margin-bottom:.35rem}
input[type=email],input[type=text],input[type=number],textarea,select{width:100%;padding:.7rem .8rem;font:inherit;color:inherit;background:var(--raised);border:1px solid var(--rim);border-radius:3px;margin-bottom:.75rem}
button{width:100%;min-height:2.9rem;padding:.65rem 1rem;font:inherit;font-weight:600;border-radius:3px;border:1px solid var(--rim);background:transparent;color:inherit;cursor:pointer}
button:hover{border-color:var(--accent)}
button.main{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
button.danger{border-color:var(--bad);color:var(--bad)}
button.danger:hover{background:var(--bad);color:var(--paper)}
button.small{width:auto;min-height:2.2rem;padding:.3rem .8rem}
:focus-visible{outline:3px solid var(--ember);outline-offset:2px}
summary{padding:.5rem 0;font-weight:600;color:var(--accent);cursor:pointer}
details{margin-bottom:.25rem}
hr{border:0;border-top:1px solid var(--edge);margin:1.5rem 0}
ul{padding-left:1.2rem}
ul.rows{list-style:none;padding:0}
ul.rows li{display:flex;gap:1rem;align-items:center;justify-content:space-between;padding:.6rem 0;border-bottom:1px solid var(--edge)}
ul.rows form{margin:0}
pre{font:.95em/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;padding:.7rem .8rem;background:var(--raised);border:1px solid var(--edge);border-radius:3px}
code{font:1.05em ui-monospace,monospace;overflow-wrap:anywhere}
figure{margin:1rem 0}
.chart{display:block;width:100%;height:auto}
.chart text{font:11px system-ui,sans-serif;fill:var(--soft)}
.chart .grid{stroke:var(--edge)}
.chart .base,.chart .tick{stroke:var(--rim)}
.chart .line{fill:none;stroke:var(--accent);stroke-width:2.25}
.chart .dot{fill:var(--accent)}
.code{font:600 1.6rem ui-monospace,monospace;letter-spacing:.12em}
`;

/** The stylesheet's source expression in a Content-Security-Policy. */
const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;
