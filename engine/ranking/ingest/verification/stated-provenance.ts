import { DAY_MS } from '../../../../config/units.ts';
import type { Agreement, SnapshotHeader } from '../../../contract/signing/index.ts';
import { type DayAgreement, type Provenance, VERSION_STEP } from '../../core/operator-state/index.ts';

const VERSION = /^(\d{1,4})\.(\d{1,4})\.(\d{1,4})(?![\d.])/;

/** What a header states; null without `counting`. A `cli` that does not begin with a version of three numbers has none. */
export function statedProvenance({
  counting,
  cli,
  agreement,
}: Pick<SnapshotHeader, 'counting' | 'cli' | 'agreement'>): Provenance | null {
  if (counting === undefined) return null;
  const parts = VERSION.exec(cli ?? '')?.slice(1) ?? [];
  const version = parts.reduce((sum, part) => sum * VERSION_STEP + Number(part), 0);
  return { counting, version, agreement: agreement === undefined ? null : daysOf(agreement) };
}

function daysOf({ until, days }: Agreement): DayAgreement {
  const agreed = Number.parseInt(days.replaceAll('-', '0'), 2);
  const compared = Number.parseInt(days.replaceAll('0', '1').replaceAll('-', '0'), 2);
  return { day: Date.parse(until) / DAY_MS, agreed, differed: compared & ~agreed };
}
