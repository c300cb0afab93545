/** Characters of the longest return URL. */
const MAX_LENGTH = 2_000;

/** Backslashes and control characters, which browsers normalize differently from URL parsers. */
const AMBIGUOUS = /[\\\p{C}]/u;

/** The return URL of a sign-in if it is a path of the login host or at one of the service's origins; else null. */
export function safeReturn(wanted: string | null, loginUrl: string, origins: readonly string[]): string | null {
  if (wanted === null || wanted === '' || wanted.length > MAX_LENGTH || AMBIGUOUS.test(wanted)) return null;
  if (wanted.startsWith('/') && !wanted.startsWith('//')) {
    const url = new URL(wanted, loginUrl);
    // Resolving removes dot segments, and may leave a path that begins with `//` and resolves to another host.
    const ours = url.origin === new URL(loginUrl).origin && !url.pathname.startsWith('//');
    return ours ? `${url.pathname}${url.search}${url.hash}` : null;
  }
  if (!URL.canParse(wanted)) return null;
  const url = new URL(wanted);
  const plain = url.username === '' && url.password === '';
  return plain && origins.includes(url.origin) ? url.href : null;
}
