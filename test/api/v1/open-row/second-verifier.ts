import { createHash, createPublicKey, verify } from 'node:crypto';

// A second implementation, written from the page /developers/open-rows alone: it shares no code with the service or the tool.

/** A page as the service answers it, to be changed by tests. */
export interface Page {
  as_of: string;
  windows: Record<string, Record<string, number | null>>;
  keys: { kid: string; x: string; revoked_at: string | null }[];
  before: string | null;
  next: string | null;
  snapshots: { received_at: string; payload: string; signature: string }[];
  left_out: number;
  by_our_word: null | { samples: Record<string, string | number>[] };
}

const FIELDS = ['input', 'output', 'cache_read', 'cache_write'];
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Sample {
  stream: string;
  platform: string;
  epoch: number;
  at: number;
  counts: number[];
}

/** Verifies the pages of a row; returns the number of signatures, which windows are by signatures alone, and what does not fit. */
export function verifyRow(pages: readonly Page[]): { verified: number; signed: string[]; faults: string[] } {
  const faults: string[] = [];
  let expected: string | null = null;
  for (const [at, page] of pages.entries()) {
    if (page.before !== expected || (at > 0 && expected === null)) faults.push('page');
    expected = page.next;
    if (page.as_of !== pages[0]!.as_of || JSON.stringify(page.windows) !== JSON.stringify(pages[0]!.windows)) {
      faults.push('changed');
    }
  }
  if (expected !== null) faults.push('page');
  const keys = new Map<string, Page['keys'][number]>();
  for (const key of pages.flatMap((page) => page.keys)) {
    const text = `{"crv":"Ed25519","kty":"OKP","x":"${key.x}"}`;
    if (createHash('sha256').update(text).digest('base64url') === key.kid) keys.set(key.kid, key);
    else faults.push('key');
  }
  const own = pages.flatMap((page) => page.snapshots).flatMap((each) => sampleOf(each, keys, faults) ?? []);
  const words = pages
    .flatMap((page) => page.by_our_word?.samples ?? [])
    .map((each) => ({
      stream: String(each['stream']),
      platform: String(each['platform']),
      epoch: Number(each['epoch']),
      at: Date.parse(String(each['as_of'])),
      counts: FIELDS.map((field) => Number(each[field])),
    }));
  const { as_of: asOf, windows } = pages[0]!;
  const signed: string[] = [];
  for (const [name, stated] of Object.entries(windows)) {
    const used = usedIn([...own, ...words], beginOf(name, Date.parse(asOf)));
    const [input = 0, output = 0, cacheRead = 0] = used;
    const yield_ = (cacheRead * output) / (input * input);
    if (FIELDS.some((field, at) => stated[field] !== used[at])) faults.push(`counts of ${name}`);
    if (stated['yield_'] !== null && stated['yield_'] !== yield_) faults.push(`Yield of ${name}`);
    if (String(used) === String(usedIn(own, beginOf(name, Date.parse(asOf))))) signed.push(name);
  }
  return { verified: own.length, signed, faults };
}

function sampleOf(
  { received_at, payload, signature }: Page['snapshots'][number],
  keys: ReadonlyMap<string, Page['keys'][number]>,
  faults: string[],
): Sample | null {
  const [header = '', , bytes = ''] = signature.split('.');
  const said = JSON.parse(Buffer.from(header, 'base64url').toString());
  const key = keys.get(said.kid);
  const signedText = `${header}.${Buffer.from(payload).toString('base64url')}`;
  const fits =
    key !== undefined &&
    verify(
      null,
      Buffer.from(signedText),
      createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.x }, format: 'jwk' }),
      Buffer.from(bytes, 'base64url'),
    );
  if (!fits) {
    faults.push(key === undefined ? 'no key' : 'signature');
    return null;
  }
  if (key.revoked_at !== null && Date.parse(received_at) >= Date.parse(key.revoked_at)) {
    faults.push('revoked');
    return null;
  }
  const body = JSON.parse(payload);
  return {
    stream: said.stream ?? said.kid,
    platform: body.platform ?? 'unspecified',
    epoch: said.epoch ?? 0,
    at: (said.as_of ?? said.iat) * 1_000,
    counts: FIELDS.map((field) => body[field]),
  };
}

function beginOf(window: string, hour: number): number {
  if (window === 'all_time') return Number.NEGATIVE_INFINITY;
  if (window === '7d') return hour - 168 * HOUR;
  return Math.floor(hour / DAY) * DAY - Number.parseInt(window, 10) * DAY;
}

function usedIn(samples: readonly Sample[], begin: number): number[] {
  const streams = new Map<string, Sample[]>();
  for (const sample of samples) {
    const name = JSON.stringify([sample.stream, sample.platform]);
    const known = streams.get(name);
    if (known === undefined) streams.set(name, [sample]);
    else known.push(sample);
  }
  const ordered = [...streams.values()].sort(([a], [b]) =>
    a!.stream < b!.stream || (a!.stream === b!.stream && a!.platform < b!.platform) ? -1 : 1,
  );
  const greatest = (of: readonly Sample[], field: number) => Math.max(0, ...of.map(({ counts }) => counts[field]!));
  const sums = [0, 0, 0, 0];
  for (const all of ordered) {
    const epoch = Math.max(...all.map((sample) => sample.epoch));
    const current = all.filter((sample) => sample.epoch === epoch);
    const before = current.filter(({ at }) => at < begin);
    for (const field of sums.keys()) sums[field]! += greatest(current, field) - greatest(before, field);
  }
  return sums;
}
