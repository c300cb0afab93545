/** Whether a service's text is a web address that is safe to open (no other program) and to print (no control characters). */
export function isWebAddress(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\/[!-~]+$/.test(value) && URL.canParse(value);
}

/** Whether secrets may be sent to an address: it is encrypted, or on this machine. */
export function isSafeAddress(value: string): boolean;
export function isSafeAddress(value: unknown): value is string;
export function isSafeAddress(value: unknown): boolean {
  if (!isWebAddress(value)) return false;
  const { protocol, hostname } = new URL(value);
  // Not names below .localhost: many systems resolve them through DNS.
  return protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** An address in normal form, without trailing slashes: two base URLs are the same service when these are equal. */
export function normalAddress(url: URL): string {
  return url.href.replace(/\/+$/, '');
}
