import type { Html } from '../html.ts';

/** A page of sign-in or of accounts. */
export interface FramedPage {
  readonly title: string;
  readonly body: Html;
  /** One sentence for search results, and the canonical URL. Without it, the page has `noindex`. */
  readonly indexed?: { readonly description: string; readonly canonical: string };
  /** As of the website's pages. */
  readonly width?: 'words' | 'tables';
}

/** Makes a complete page in the frame of the website. */
export type Frame = (page: FramedPage) => string;

/**
 * Headers that prevent framing, caching, content sniffing, and forms to other origins. `formTargets` are allowed besides the
 * page's origin, and include targets of redirects. The one script is that of the website, which every page works without.
 */
export function pageHeaders(formTargets: readonly string[] = [], scripts = "'self'"): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `script-src ${scripts}`,
    "style-src 'self'",
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
