import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { acceptedVectors } from './accepted-vectors.ts';
import { canonicalVectors } from './canonical-vectors.ts';
import { deviceProofVectors } from './device-proof-vectors.ts';
import { malformedVectors, unacceptableVectors } from './malformed-vectors.ts';
import { publicKeyVectors } from './public-key-vectors.ts';
import { refusedVectors } from './refused-vectors.ts';
import { vectorKeys } from './vector-cast.ts';
import type { SnapshotVectors } from './vector-types.ts';

/**
 * The vector files and their text. They hold nothing random, so that making them again gives the same bytes; run this
 * file to write them (`npx tsx test/vectors/generate.ts`).
 */
export function vectorFiles(): ReadonlyMap<string, string> {
  const snapshots: SnapshotVectors = {
    about:
      'Snapshots as request bodies, judged as of received_at. expected.accepted: the verdict, with the stream, epoch ' +
      'and moment that are read from the header, or the reason of the refusal. expected.status 400: refused as a request.',
    keys: vectorKeys(),
    vectors: [...acceptedVectors(), ...refusedVectors(), ...malformedVectors(), ...unacceptableVectors()],
  };
  return new Map([
    ['canonical-payloads.json', toText(canonicalVectors())],
    ['device-proofs.json', toText(deviceProofVectors())],
    ['public-keys.json', toText(publicKeyVectors())],
    ['snapshots.json', toText(snapshots)],
  ]);
}

/** JSON in ASCII, so that look-alike and control characters are seen. */
function toText(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  return `${text.replaceAll(/[^\n\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, text] of vectorFiles()) writeFileSync(new URL(name, import.meta.url), text);
}
