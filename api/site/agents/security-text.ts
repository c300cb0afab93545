import { DAY_MS } from '../../../config/units.ts';
import type { Addresses } from '../../http/hosts.ts';

/** RFC 9116, section 3. */
export const SECURITY_TEXT_PATH = '/.well-known/security.txt';

/** Days from today until the file expires: RFC 9116 recommends less than a year. */
const VALID_DAYS = 180;

/** The text of security.txt (RFC 9116) at `now`, in milliseconds. It changes once a day. */
export function securityText(contact: string, { baseUrl, siteUrl, loginUrl, authUrl }: Addresses, now: number): string {
  const origins = new Set([siteUrl, baseUrl, loginUrl, authUrl].map((address) => new URL(address).origin));
  const expires = new Date((Math.floor(now / DAY_MS) + VALID_DAYS) * DAY_MS).toISOString();
  return [
    `Contact: ${contact}`,
    `Expires: ${expires}`,
    'Preferred-Languages: en',
    ...Array.from(origins, (origin) => `Canonical: ${origin}${SECURITY_TEXT_PATH}`).filter((line) =>
      line.includes(' https:'),
    ),
    '',
  ].join('\n');
}
