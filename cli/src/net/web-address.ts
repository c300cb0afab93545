/**
 * Whether a service's text is the address of a website, which may be opened and printed: browsers are given no other
 * addresses, and terminals no control characters, whatever the service says.
 */
export function isWebAddress(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\/[!-~]+$/.test(value) && URL.canParse(value);
}

/** Whether secrets may go to an address: it is encrypted, or does not leave the machine. */
export function isSafeAddress(value: string): boolean;
export function isSafeAddress(value: unknown): value is string;
export function isSafeAddress(value: unknown): boolean {
  if (!isWebAddress(value)) return false;
  const { protocol, hostname } = new URL(value);
  // Names below .localhost are left to name servers by many systems.
  return protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** An address in its normal form, without trailing slashes: two base URLs name the same service when these are equal. */
export function normalAddress(url: URL): string {
  return url.href.replace(/\/+$/, '');
}
