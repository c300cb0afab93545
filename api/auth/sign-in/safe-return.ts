/** Characters of the longest address that a sign-in returns to. */
const MAX_LENGTH = 2_000;

/** Backslashes and control characters, which browsers read in ways of their own. */
const CRAFTY = /[\\\p{C}]/u;

/**
 * Where a sign-in may lead: a path of the login host, or an address of one of our own origins. Anything else, such as
 * another host or another scheme, is null.
 */
export function safeReturn(wanted: string | null, loginUrl: string, origins: readonly string[]): string | null {
  if (wanted === null || wanted === '' || wanted.length > MAX_LENGTH || CRAFTY.test(wanted)) return null;
  if (wanted.startsWith('/') && !wanted.startsWith('//')) {
    const url = new URL(wanted, loginUrl);
    // Dot segments are gone by now, and what they hid may name another host when it is resolved once more.
    const ours = url.origin === new URL(loginUrl).origin && !url.pathname.startsWith('//');
    return ours ? `${url.pathname}${url.search}${url.hash}` : null;
  }
  if (!URL.canParse(wanted)) return null;
  const url = new URL(wanted);
  const plain = url.username === '' && url.password === '';
  return plain && origins.includes(url.origin) ? url.href : null;
}
