import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  canonicalPayload,
  MAX_COUNT,
  PLATFORM_PATTERN,
  parseDetachedJws,
  parseSnapshotHeader,
  type SignedPayload,
} from '../../../../../../engine/contract/signing/index.ts';
import { verifyEntries } from '../../../../../../engine/ranking/ingest/verification/verify-entries.ts';
import type { DeviceKey, LogEntry } from '../../../../../../engine/ranking/types.ts';
import type { CanonicalVector, SnapshotVector, SnapshotVectors } from '../../../../../vectors/vector-types.ts';

const FOLDER = new URL('../../../../../vectors/', import.meta.url);

function read(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8');
}

describe('canonical payload vectors', () => {
  const vectors: readonly CanonicalVector[] = JSON.parse(read('canonical-payloads.json'));
  for (const vector of vectors) {
    it(vector.name, () => {
      const payload: SignedPayload = JSON.parse(vector.payload_json);
      expect(canonicalPayload(payload)).to.equal(vector.canonical);
    });
  }
});

describe('snapshot vectors', () => {
  const { keys, vectors }: SnapshotVectors = JSON.parse(read('snapshots.json'));
  const deviceKeys = new Map<string, DeviceKey>(
    keys.map(({ kid, x, operator, revoked_at }) => {
      const revokedAt = revoked_at === null ? null : Date.parse(revoked_at);
      return [kid, { kid, operator, publicKey: x, revokedAt }];
    }),
  );
  const verify = async (entry: LogEntry) => (await verifyEntries([entry], () => Promise.resolve(deviceKeys)))[0];

  it('have unique names', () => {
    expect(new Set(vectors.map(({ name }) => name)).size).to.equal(vectors.length);
  });

  for (const vector of vectors) {
    it(vector.name, async () => {
      const { expected } = vector;
      const entry = toEntry(vector);
      if ('accepted' in expected && expected.accepted) {
        const { stream, epoch, as_of } = expected;
        const { kid, counting, cli } = headerOf(entry.signature);
        const version = cli === '1.2.3' ? 100_020_003 : 0;
        const provenance = counting === undefined ? null : { counting, version };
        expect(await verify(entry)).to.deep.equal({
          ok: true,
          kid,
          stream,
          epoch,
          asOf: Date.parse(as_of),
          provenance,
        });
      } else if ('accepted' in expected || expected.about === 'signature') {
        expect(await verify(entry)).to.include({ ok: false, reason: expected.reason });
      } else {
        expect(isRefusedAsRequest(vector), 'the body conforms to the contract').to.equal(true);
      }
      if ('status' in expected) expect(hasGoodSignatureForm(entry)).to.equal(expected.about !== 'signature');
    });
  }
});

function toEntry({ body, operator, received_at }: SnapshotVector): LogEntry {
  const { signature, ...payload }: SignedPayload & { signature: string } = JSON.parse(body);
  return { operator, jti: headerOf(signature).jti ?? '', receivedAt: Date.parse(received_at), payload, signature };
}

/** The header's own members; none for an unreadable header. */
function headerOf(signature: string): Readonly<Partial<Record<'jti' | 'kid' | 'counting' | 'cli', string>>> {
  const header: unknown = parseDetachedJws(signature)?.header;
  return typeof header === 'object' && header !== null ? header : {};
}

function hasGoodSignatureForm({ signature }: LogEntry): boolean {
  const jws = parseDetachedJws(signature);
  return jws !== null && !('refused' in parseSnapshotHeader(jws.header));
}

/** The published patterns and bounds applied to a body, independent of the api's schemas. */
function isRefusedAsRequest({ body }: SnapshotVector): boolean {
  const { platform, input }: { platform?: string; input: unknown } = JSON.parse(body);
  const badPlatform = platform !== undefined && !PLATFORM_PATTERN.test(platform);
  const badInput = typeof input !== 'number' || input < 0 || input > MAX_COUNT;
  return badPlatform || badInput || /"input":.*"input":/.test(body);
}
