/** Reads a Retry-After header (RFC 9110, section 10.2.3: seconds or an HTTP date); answers milliseconds, null when absent or unreadable. */
export function readRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Only HTTP dates hold letters: Date.parse alone would also take a signed or a fractional number for a year.
  const at = /^[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
