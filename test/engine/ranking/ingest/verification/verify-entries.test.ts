import { expect } from 'chai';
import * as fc from 'fast-check';
import { verifyEntries } from '../../../../../engine/ranking/ingest/verification/verify-entries.ts';
import type { DeviceKey, DeviceKeyLookup, LogEntry } from '../../../../../engine/ranking/types.ts';
import {
  canonical,
  namedDeviceKey,
  signSnapshot,
  type TestDeviceKey,
  type TestHeader,
  type TestPayload,
} from '../../../../support/signing.ts';

const RECEIVED_AT = Date.parse('2026-03-01T12:00:00.000Z');
const IAT = RECEIVED_AT / 1_000;
const DAY_S = 86_400;
const PAYLOAD: TestPayload = { codename: 'sample-fox', input: 1, output: 2, cache_read: 3, cache_write: 4 };
const first = namedDeviceKey('first');
const second = namedDeviceKey('second');

function entry(key: TestDeviceKey, jti: string, header: Partial<TestHeader> = {}, payload = PAYLOAD): LogEntry {
  const signature = signSnapshot(key, payload, { iat: IAT, jti, ...header });
  return { operator: 1, jti, receivedAt: RECEIVED_AT, payload, signature };
}

function stored(key: TestDeviceKey, more: Partial<DeviceKey> = {}): DeviceKey {
  return { kid: key.kid, operator: 1, publicKey: key.x, revokedAt: null, ...more };
}

function lookup(...keys: readonly DeviceKey[]): DeviceKeyLookup {
  return (kids) => Promise.resolve(new Map(keys.filter(({ kid }) => kids.includes(kid)).map((key) => [key.kid, key])));
}

describe('verifyEntries', () => {
  it('returns results in the order of the entries, whatever their content', async () => {
    const entries = [
      entry(first, 'entry-0000'),
      { ...entry(first, 'entry-0001'), signature: 'sample' },
      entry(second, 'entry-0002', { stream: 'ledger-b', epoch: 3, as_of: IAT - DAY_S }),
      { ...entry(first, 'entry-0003'), payload: { ...PAYLOAD, output: 9 } },
      entry(namedDeviceKey('third'), 'entry-0004'),
    ];
    const results = await verifyEntries(entries, lookup(stored(first), stored(second)));
    expect(results.map((verification) => (verification.ok ? verification : verification.reason))).to.deep.equal([
      { ok: true, kid: first.kid, stream: first.kid, epoch: 0, asOf: RECEIVED_AT, provenance: null },
      'header_invalid',
      { ok: true, kid: second.kid, stream: 'ledger-b', epoch: 3, asOf: RECEIVED_AT - DAY_S * 1_000, provenance: null },
      'signature_invalid',
      'key_unknown',
    ]);
  });

  it("looks a key's owner up again before refusing a snapshot because of a cached owner", async () => {
    const asked: boolean[] = [];
    const changedHands: DeviceKeyLookup = (kids, fresh = false) => {
      asked.push(fresh);
      return lookup(stored(first, { operator: fresh ? 1 : 2 }), stored(second))(kids);
    };
    const entries = [entry(first, 'entry-0000'), entry(second, 'entry-0001')];
    const results = await verifyEntries(entries, changedHands);
    expect(results.map(({ ok }) => ok)).to.deep.equal([true, true]);
    expect(asked).to.deep.equal([false, true]);
  });

  it('yields to the event loop while verifying many signatures', async () => {
    const entries = Array.from({ length: 96 }, (_, index) => entry(first, `entry-${1_000 + index}`));
    let turns = 0;
    let next = setImmediate(function count() {
      turns += 1;
      next = setImmediate(count);
    });
    await verifyEntries(entries, lookup(stored(first)));
    clearImmediate(next);
    expect(turns).to.be.at.least(3);
  });

  it('looks every key up once, in one call', async () => {
    const calls: (readonly string[])[] = [];
    const entries = Array.from({ length: 40 }, (_, index) =>
      entry(index % 2 ? first : second, `entry-00${index + 10}`),
    );
    const results = await verifyEntries(entries, (kids) => {
      calls.push(kids);
      return lookup(stored(first), stored(second))(kids);
    });
    expect(results.every(({ ok }) => ok)).to.equal(true);
    expect(calls.map((kids) => [...kids].sort())).to.deep.equal([[first.kid, second.kid].sort()]);
  });

  it('looks up no keys when no header is readable', async () => {
    let calls = 0;
    const counted: DeviceKeyLookup = (kids) => {
      calls += 1;
      return lookup()(kids);
    };
    expect(await verifyEntries([], counted)).to.deep.equal([]);
    const [verification] = await verifyEntries([{ ...entry(first, 'entry-0000'), signature: '' }], counted);
    expect(calls).to.equal(0);
    expect(verification).to.include({ ok: false, reason: 'header_invalid' });
  });

  it('rejects when the keys cannot be read, so that the batch is retried', async () => {
    const failure = new Error('store is down');
    const outcome = await verifyEntries([entry(first, 'entry-0000')], () => Promise.reject(failure)).catch((e) => e);
    expect(outcome).to.equal(failure);
  });

  it('refuses an entry logged under another jti than the signed one', async () => {
    const [verification] = await verifyEntries(
      [{ ...entry(first, 'entry-0000'), jti: 'entry-0001' }],
      lookup(stored(first)),
    );
    expect(verification).to.include({ ok: false, reason: 'header_invalid' });
  });

  it('refuses an entry under an invalid stored key, without failing the others', async () => {
    const entries = [entry(first, 'entry-0000'), entry(second, 'entry-0001')];
    const results = await verifyEntries(entries, lookup(stored(first, { publicKey: 'AAAA' }), stored(second)));
    expect(results[0]).to.include({ ok: false, reason: 'signature_invalid' });
    expect(results[1]).to.include({ ok: true });
  });

  it("reports the server's time to a client whose clock is ahead", async () => {
    const entries = [entry(first, 'entry-0000', { iat: IAT + 301 }), entry(first, 'entry-0001', { as_of: IAT + 301 })];
    for (const verification of await verifyEntries(entries, lookup(stored(first)))) {
      expect(verification.ok ? '' : verification.detail).to.include('2026-03-01T12:00:00.000Z');
    }
  });

  it('verifies as of receivedAt: a later revocation changes nothing', async () => {
    const keys = lookup(stored(first, { revokedAt: RECEIVED_AT + 1 }));
    expect((await verifyEntries([entry(first, 'entry-0000')], keys))[0]).to.include({ ok: true });
    const later = { ...entry(first, 'entry-0000'), receivedAt: RECEIVED_AT + 1 };
    expect((await verifyEntries([later], keys))[0]).to.include({ ok: false, reason: 'key_revoked' });
  });
});

describe('signatures', () => {
  const count = fc.oneof(
    fc.double({ min: 0, max: Number.MAX_SAFE_INTEGER, noNaN: true }),
    fc.maxSafeNat(),
    fc.constantFrom(0, -0, 0.1, Number.MIN_VALUE, 1e-7, Number.MAX_SAFE_INTEGER),
  );
  const payload: fc.Arbitrary<TestPayload> = fc.record(
    {
      codename: fc.stringMatching(/^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$/),
      input: count,
      output: count,
      cache_read: count,
      cache_write: count,
      platform: fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,31}$/),
    },
    { requiredKeys: ['codename', 'input', 'output', 'cache_read', 'cache_write'] },
  );

  it('verify for every payload in its RFC 8785 form', async () => {
    await fc.assert(
      fc.asyncProperty(payload, async (value) => {
        const [verification] = await verifyEntries([entry(first, 'entry-0000', {}, value)], lookup(stored(first)));
        expect(verification).to.include({ ok: true });
      }),
      { numRuns: 200 },
    );
  });

  it('verify for no other payload', async () => {
    await fc.assert(
      fc.asyncProperty(payload, payload, async (signed, sent) => {
        fc.pre(canonical(signed) !== canonical(sent));
        const forged = { ...entry(first, 'entry-0000', {}, signed), payload: sent };
        const [verification] = await verifyEntries([forged], lookup(stored(first)));
        expect(verification).to.include({ ok: false, reason: 'signature_invalid' });
      }),
      { numRuns: 200 },
    );
  });

  it('fail with any changed bit', async () => {
    const good = entry(first, 'entry-0000');
    const [header = '', , text = ''] = good.signature.split('.');
    await fc.assert(
      fc.asyncProperty(fc.nat(511), async (bit) => {
        const bytes = Buffer.from(text, 'base64url');
        bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        const spoiled = { ...good, signature: `${header}..${bytes.toString('base64url')}` };
        const [verification] = await verifyEntries([spoiled], lookup(stored(first)));
        expect(verification).to.include({ ok: false, reason: 'signature_invalid' });
      }),
      { numRuns: 100 },
    );
  });
});
