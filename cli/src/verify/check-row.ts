import { createPublicKey, verify } from 'node:crypto';
import type { OpenRowPage } from '../../../engine/contract/index.ts';
import * as signing from '../../../engine/contract/signing/index.ts';
import { byWindow, WINDOWS, windowLabel } from '../../../engine/contract/windows.ts';
import { windowStart } from '../coach/spans.ts';
import { thumbprint } from '../signing/device-key.ts';
import { yieldOf } from '../views/usage-rows.ts';

type Keys = ReadonlyMap<string, OpenRowPage['keys'][number]>;

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
  const [own, foreign] = [true, false].map((is) =>
    pages.flatMap((page) => page.keys.filter((key) => isKey(key) === is)),
  );
  faults.push(...foreign!.map(({ kid }) => `key ${kid}: its id is that of another key`));
  const keys: Keys = new Map(own!.map((key) => [key.kid, key]));
  const read = pages.flatMap(({ snapshots }) => snapshots.map((snapshot) => readSnapshot(snapshot, keys)));
  faults.push(...read.filter((each) => typeof each === 'string'));
  const signed = read.filter((each) => typeof each !== 'string');
  const words = pages.flatMap(({ by_our_word }) => by_our_word?.samples ?? []);
  const others = words.map((of): Sample => {
    return { stream: nameOf(of.stream, of.platform), epoch: of.epoch, at: Date.parse(of.as_of), counts: of };
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
  const left_out = pages.reduce((total, page) => total + page.left_out, 0);
  return { snapshots: signed.length, keys: keys.size, left_out, windows, faults };
}

const jwkOf = (x: string) => ({ kty: 'OKP', crv: 'Ed25519', x }) as const;

function isKey({ kid, x }: OpenRowPage['keys'][number]): boolean {
  return thumbprint(jwkOf(x)) === kid && signing.isAcceptablePublicKey(Buffer.from(x, 'base64url'));
}

/** The sample of a snapshot whose signature fits; else what is wrong with it. */
function readSnapshot({ received_at, payload, signature }: OpenRowPage['snapshots'][number], keys: Keys) {
  const jws = signing.parseDetachedJws(signature);
  const header = jws && signing.parseSnapshotHeader(jws.header);
  if (jws === null || header === null || 'refused' in header) return 'a snapshot has no header';
  const { jti, kid, stream = kid, iat, as_of = iat, epoch = 0 } = header;
  const known = keys.get(kid);
  if (known === undefined) return `snapshot ${jti}: its key is missing`;
  const { x, revoked_at } = known;
  const input = signing.signingInput(jws.protectedHeader, payload);
  const key = createPublicKey({ key: jwkOf(x), format: 'jwk' });
  const isSigned = verify(null, input, key, Buffer.from(jws.signature, 'base64url'));
  if (!isSigned) return `snapshot ${jti}: the signature does not fit`;
  const isInTime = revoked_at === null || Date.parse(received_at) < Date.parse(revoked_at);
  if (!isInTime) return `snapshot ${jti}: it came after its key was revoked`;
  const counts: signing.SignedPayload = JSON.parse(payload);
  return { stream: nameOf(stream, counts.platform), epoch, at: as_of * 1000, counts };
}

/** Sorted by code units, names are in the order of ledger and then platform. */
const nameOf = (ledger: string, platform: string = signing.UNSPECIFIED_PLATFORM): string =>
  `${ledger}\u0000${platform}`;

/** What streams used from a time on: of the highest epoch of each, the greatest counts less the greatest before. */
function countsSince(samples: readonly Sample[], from: number): signing.Counts {
  const used = [0, 0, 0, 0];
  const greatest = (of: readonly Sample[], field: number) =>
    of.reduce((most, { counts }) => Math.max(most, signing.countNumbers(counts)[field]!), 0);
  // In the order of the service: sums beyond 2^53 depend on it.
  for (const name of [...new Set(samples.map(({ stream }) => stream))].sort()) {
    const own = samples.filter(({ stream }) => stream === name);
    const epoch = own.reduce((most, sample) => Math.max(most, sample.epoch), 0);
    const current = own.filter((sample) => sample.epoch === epoch);
    const before = current.filter(({ at }) => at < from);
    for (const field of used.keys()) used[field]! += greatest(current, field) - greatest(before, field);
  }
  return signing.countsAt(used);
}

function isSame(one: signing.Counts, other: signing.Counts): boolean {
  return signing.COUNT_FIELDS.every((field) => one[field] === other[field]);
}
