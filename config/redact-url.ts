/**
 * Removes user and password from an address for printing. Works on addresses that `URL` cannot parse (several hosts in one
 * `mongodb://` address), and on text that contains addresses.
 */
export function redactUrl(text: string): string {
  return text.replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*(?:@[^\s/@]*)*@/gi, '$1***@');
}
