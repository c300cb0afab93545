/**
 * An address as it may be printed: the same without the user and password that database addresses carry. Works on
 * addresses that `URL` cannot parse (several hosts in one `mongodb://` address), and on text that contains addresses.
 */
export function redactUrl(text: string): string {
  return text.replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*(?:@[^\s/@]*)*@/gi, '$1***@');
}
