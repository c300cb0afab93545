/**
 * Whether a service's text is the address of a website, which may be opened and printed: browsers are given no other
 * addresses, and terminals no control characters, whatever the service says.
 */
export function isWebAddress(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\/[!-~]+$/.test(value) && URL.canParse(value);
}
