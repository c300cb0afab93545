import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { OpenRowPage } from '../../../engine/contract/index.ts';
import * as signing from '../../../engine/contract/signing/index.ts';
import { byWindow, WINDOWS, windowLabel } from '../../../engine/contract/windows.ts';
import { windowStart } from '../coach/spans.ts';
import { thumbprint } from '../signing/device-key.ts';
import { yieldOf } from '../views/usage-rows.ts';

type Keys = ReadonlyMap<string, { readonly key: KeyObject; readonly until: number }>;

/** Counts of a stream (ledger and platform) at a time in milliseconds since the epoch. */
interface Sample {
  readonly stream: string;
  readonly epoch: number;
  readonly at: number;
  readonly counts: signing.Counts;
}

/** Verifies the signatures on the pages of an open row, in order, and recomputes its windows. Throws for pages of another form. */
export function checkRow(pages: readonly OpenRowPage[]) {
  const { as_of, windows: stated, next } = pages.at(-1)!;
  const faults: string[] = [];
  const isWhole = next === null && pages.every(({ before }, at) => before === (pages[at - 1]?.next ?? null));
  if (!isWhole) faults.push('a page is missing');
  if (new Set(pages.map((page) => JSON.stringify([page.as_of, page.windows]))).size > 1) {
    faults.push('the row changed while its pages were read: read them again');
  }
  const keys = readKeys(pages, faults);
  const signed: Sample[] = [];
  for (const snapshot of pages.flatMap(({ snapshots }) => snapshots)) {
    const read = readSnapshot(snapshot, keys);
    if (typeof read === 'string') faults.push(read);
    else signed.push(read);
  }
  const words = pages.flatMap(({ by_our_word }) => by_our_word?.samples ?? []);
  const others = words.map(({ epoch, ...of }): Sample => {
    return { stream: nameOf(of.stream, of.platform), epoch, at: Date.parse(of.as_of), counts: of };
  });
  const windows = byWindow((index) => {
    const name = WINDOWS[index]!;
    const from = windowStart(name, Date.parse(as_of) / 1000) * 1000;
    const counts = countsSince([...signed, ...others], from);
    const yield_ = yieldOf(counts);
    const fits = isSame(counts, stated[name]) && [null, yield_].includes(stated[name].yield_);
    if (!fits) faults.push(`${windowLabel(name)}: the snapshots do not give the counts that are stated`);
    return { counts, yield_, signed: isSame(counts, countsSince(signed, from)) };
  });
  const sum = (why: keyof OpenRowPage['left_out']) => pages.reduce((total, page) => total + page.left_out[why], 0);
  const left_out = { voided: sum('voided'), refused: sum('refused'), pending: sum('pending') };
  return { snapshots: signed.length, keys: keys.size, left_out, windows, faults };
}

function readKeys(pages: readonly OpenRowPage[], faults: string[]): Keys {
  const keys = new Map<string, { key: KeyObject; until: number }>();
  for (const { kid, x, revoked_at } of pages.flatMap((page) => page.keys)) {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x } as const;
    if (thumbprint(jwk) === kid && signing.isAcceptablePublicKey(Buffer.from(x, 'base64url'))) {
      const until = revoked_at === null ? Infinity : Date.parse(revoked_at);
      keys.set(kid, { key: createPublicKey({ key: jwk, format: 'jwk' }), until });
    } else faults.push(`key ${kid}: its id is that of another key`);
  }
  return keys;
}

/** The sample of a snapshot whose signature fits; else what is wrong with it. */
function readSnapshot(
  { received_at, payload, signature }: OpenRowPage['snapshots'][number],
  keys: Keys,
): Sample | string {
  const jws = signing.parseDetachedJws(signature);
  const header = jws && signing.parseSnapshotHeader(jws.header);
  if (jws === null || header === null || 'refused' in header) return 'a snapshot has no header';
  const { jti, kid, stream = kid, iat, as_of = iat, epoch = 0 } = header;
  const { key, until } = keys.get(kid) ?? { until: 0 };
  if (key === undefined) return `snapshot ${jti}: its key is missing`;
  const isSigned = verify(
    null,
    signing.signingInput(jws.protectedHeader, payload),
    key,
    Buffer.from(jws.signature, 'base64url'),
  );
  if (!isSigned) return `snapshot ${jti}: the signature does not fit`;
  if (!(Date.parse(received_at) < until)) return `snapshot ${jti}: it came after its key was revoked`;
  const counts: signing.SignedPayload = JSON.parse(payload);
  return { stream: nameOf(stream, counts.platform), epoch, at: as_of * 1000, counts };
}

/** Sorted by code units, names are in the order of ledger and then platform. */
const nameOf = (ledger: string, platform: string = signing.UNSPECIFIED_PLATFORM): string =>
  `${ledger}\u0000${platform}`;

/** What streams used from a time on: of the highest epoch of each, the greatest counts less the greatest before. */
function countsSince(samples: readonly Sample[], from: number) {
  const streams = new Map<string, { epoch: number; before: number[]; newest: number[] }>();
  for (const { stream, epoch, at, counts } of samples) {
    const known = streams.get(stream);
    if (known !== undefined && known.epoch > epoch) continue;
    const isNew = known === undefined || known.epoch < epoch;
    const { before, newest } = isNew ? { before: [0, 0, 0, 0], newest: [0, 0, 0, 0] } : known;
    if (isNew) streams.set(stream, { epoch, before, newest });
    for (const [field, count] of signing.countNumbers(counts).entries()) {
      newest[field] = Math.max(newest[field]!, count);
      if (at < from) before[field] = Math.max(before[field]!, count);
    }
  }
  // In the order of the service: sums beyond 2^53 depend on it.
  const used = [...streams].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, stream]) => stream);
  return signing.countsAt(
    [0, 1, 2, 3].map((at) => used.reduce((sum, of) => sum + (of.newest[at]! - of.before[at]!), 0)),
  );
}

function isSame(one: signing.Counts, other: signing.Counts): boolean {
  return signing.COUNT_FIELDS.every((field) => one[field] === other[field]);
}
