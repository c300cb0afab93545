/** Removes user and password from addresses, also within text and with several hosts, which `URL` cannot parse. */
export function redactUrl(text: string): string {
  return text.replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*(?:@[^\s/@]*)*@/gi, '$1***@');
}
