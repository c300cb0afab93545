import { LIMITS } from '../../../config/limits.ts';

/**
 * Parses a Prefer header (RFC 7240): `wait=N` in seconds, of which at most `maxMs` are waited, or `respond-async`, which alone
 * means no wait. Others are ignored; of a repeated one the first applies. `applied` is null when none was honoured.
 */
export function readWaitPreference(
  prefer: string | undefined,
  defaultMs: number,
  maxMs: number = Math.max(defaultMs, LIMITS.http.preferWaitMs),
) {
  if (prefer === undefined) return { waitMs: defaultMs, applied: null };
  let waitSeconds: number | null = null;
  let async = false;
  for (const part of prefer.split(',')) {
    const [preference = ''] = part.split(';', 1);
    const [name = '', value = ''] = preference.split('=', 2).map((piece) => piece.trim());
    if (name.toLowerCase() === 'respond-async') async = true;
    const digits = /^"?(\d{1,9})"?$/.exec(value)?.[1];
    if (name.toLowerCase() === 'wait' && digits !== undefined) waitSeconds ??= Number(digits);
  }
  if (waitSeconds === null) {
    return async ? { waitMs: 0, applied: 'respond-async' } : { waitMs: defaultMs, applied: null };
  }
  const waitMs = Math.min(waitSeconds * 1000, maxMs);
  const applied = `wait=${Math.ceil(waitMs / 1000)}`;
  return { waitMs, applied: async ? `respond-async, ${applied}` : applied };
}
