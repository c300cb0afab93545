import type { SnapshotHeader } from '../../../contract/signing/index.ts';
import { type Provenance, VERSION_STEP } from '../../core/operator-state/index.ts';

const VERSION = /^(\d{1,4})\.(\d{1,4})\.(\d{1,4})(?![\d.])/;

/** What a header states; null without `counting`. A `cli` that does not begin with a version of three numbers has none. */
export function statedProvenance({ counting, cli }: Pick<SnapshotHeader, 'counting' | 'cli'>): Provenance | null {
  if (counting === undefined) return null;
  const parts = VERSION.exec(cli ?? '')?.slice(1) ?? [];
  const version = parts.reduce((sum, part) => sum * VERSION_STEP + Number(part), 0);
  return { counting, version };
}
