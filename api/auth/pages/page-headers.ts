import { STYLE_HASH } from './style.ts';

export interface PageHeaderOptions {
  /** Allowed form targets besides the page's origin, including targets of redirects. */
  readonly formTargets?: readonly string[];
  /** Script sources; without any, no script runs. */
  readonly scripts?: string;
}

/** Headers that prevent framing, caching, content sniffing, and forms to other origins. */
export function pageHeaders({ formTargets = [], scripts }: PageHeaderOptions = {}): Record<string, string> {
  const policy = [
    "default-src 'none'",
    ...(scripts === undefined ? [] : [`script-src ${scripts}`]),
    `style-src ${STYLE_HASH}`,
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
