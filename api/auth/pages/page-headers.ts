import { STYLE_HASH } from './style.ts';

export interface PageHeaderOptions {
  /** Where a form of the page may lead, redirects included, besides its own origin. */
  readonly formTargets?: readonly string[];
  /** Sources of scripts; without any, no script runs. */
  readonly scripts?: string;
}

/** What keeps a page of sign-in from being framed, cached, sniffed, or made to send its forms elsewhere. */
export function pageHeaders({ formTargets = [], scripts }: PageHeaderOptions = {}): Record<string, string> {
  const policy = [
    "default-src 'none'",
    ...(scripts === undefined ? [] : [`script-src ${scripts}`]),
    `style-src ${STYLE_HASH}`,
    // As on the website: tools that look at a page from inside it ask for robots.txt.
    "connect-src 'self'",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    // With no-referrer, browsers would send forms with the origin null, which forms of other sites have as well.
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    'Cache-Control': 'no-store',
  };
}
