import { generateKeyPairSync, randomInt, sign } from 'node:crypto';
import { MS_PER_SECOND } from '../../../config/units.ts';
import { canonicalPayload, signingInput } from '../../../engine/contract/signing/index.ts';
import type { DeviceKey, DeviceKeyLookup, LogEntry, Ranking } from '../../../engine/ranking/index.ts';
import { benchCodename } from '../frame/seed-population.ts';

/** Thumbprints are 43 characters, the last of which is one of few. */
const KID_DIGITS = 42;

/** Changes random operators of a seeded population by signed snapshots, as the service does. */
export interface OperatorChanger {
  /** Device keys for the engine: every operator has one device, and all devices share one key. */
  readonly deviceKeys: DeviceKeyLookup;
  /** Logs and processes a snapshot of each of `count` random operators with numbers 1 to `operators`. Returns their numbers. */
  change(ranking: Ranking, operators: number, count: number): Promise<readonly number[]>;
}

function keyOf(kid: string, publicKey: string): DeviceKey {
  return { kid, operator: Number(kid.slice(0, KID_DIGITS)), publicKey, revokedAt: null };
}

export function createOperatorChanger(): OperatorChanger {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  let made = 0;

  function entryOf(operator: number, receivedAt: number): LogEntry {
    made += 1;
    const counts = { input: randomInt(20_000, 200_000), output: randomInt(500_000, 5_000_000) };
    const payload = { codename: benchCodename(operator - 1), ...counts, cache_read: 1e7 + made, cache_write: made };
    const jti = `commit-${made.toString(36).padStart(8, '0')}`;
    const kid = `${String(operator).padStart(KID_DIGITS, '0')}A`;
    // A different stream than the seeded one, so that the counts add to the totals.
    const iat = Math.floor(receivedAt / MS_PER_SECOND);
    const header = { alg: 'EdDSA', typ: 'snapshot+jws', kid, jti, iat, stream: 'ledger-of-the-bench' };
    const protectedHeader = Buffer.from(JSON.stringify(header)).toString('base64url');
    const signature = sign(null, signingInput(protectedHeader, canonicalPayload(payload)), privateKey);
    return { operator, jti, receivedAt, payload, signature: `${protectedHeader}..${signature.toString('base64url')}` };
  }

  return {
    deviceKeys: async (kids) => new Map(kids.map((kid) => [kid, keyOf(kid, x)])),
    async change(ranking, operators, count) {
      const chosen = new Set<number>();
      while (chosen.size < count) chosen.add(randomInt(1, operators + 1));
      const now = Date.now();
      const entries = [...chosen].map((operator) => entryOf(operator, now));
      const [outcome] = await ranking.log.append(entries);
      if (outcome?.kind !== 'stored') throw new Error('the snapshots were not logged');
      const { verdicts } = await ranking.processBatch(outcome.batch, entries);
      const refused = verdicts.find((verdict) => !verdict.accepted || !verdict.changed);
      if (refused !== undefined) throw new Error(`a snapshot changed nothing: ${JSON.stringify(refused)}`);
      return [...chosen];
    },
  };
}
