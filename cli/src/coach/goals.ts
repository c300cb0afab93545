import { type Counts, MAX_COUNT } from '../../../engine/contract/signing/index.ts';
import { yieldOf } from '../views/usage-rows.ts';

/** Days that a projection looks ahead. */
const MAX_DAYS = 3650;

/** The whole tokens of one count that must be added so that the Yield reaches a target; null where no number does. */
export function tokensTo(target: number, counts: Counts, field: 'cache_read' | 'output'): number | null {
  const reaches = (count: number): boolean => (yieldOf({ ...counts, [field]: count }) ?? 0) >= target;
  const other = field === 'cache_read' ? counts.output : counts.cache_read;
  let wanted = Math.max(counts[field], Math.ceil((target * counts.input * counts.input) / other));
  if (!(wanted <= MAX_COUNT)) return null;
  // The division may be off by the last digits of a double.
  while (wanted > counts[field] && reaches(wanted - 1)) wanted -= 1;
  while (wanted <= MAX_COUNT && !reaches(wanted)) wanted += 1;
  return wanted <= MAX_COUNT ? wanted - counts[field] : null;
}

/**
 * The days until the Yield of totals reaches a target when every day adds the same counts; null when it never does, or not within
 * ten years. Solves (R + rt)(O + ot) = T (I + it)² for the smallest t.
 */
export function daysTo(target: number, totals: Counts, perDay: Counts): number | null {
  const { cache_read: read, output, input } = totals;
  const square = perDay.cache_read * perDay.output - target * perDay.input ** 2;
  const linear = read * perDay.output + output * perDay.cache_read - 2 * target * input * perDay.input;
  const constant = read * output - target * input ** 2;
  if (constant >= 0) return 0;
  const days = Math.min(...rootsOf(square, linear, constant).filter((root) => root > 0));
  return days <= MAX_DAYS ? days : null;
}

/** The real roots of ax² + bx + c, without cancellation. */
function rootsOf(a: number, b: number, c: number): readonly number[] {
  if (a === 0) return b === 0 ? [] : [-c / b];
  const discriminant = b * b - 4 * a * c;
  if (discriminant < 0) return [];
  const q = -(b + (b < 0 ? -1 : 1) * Math.sqrt(discriminant)) / 2;
  return [q / a, ...(q === 0 ? [] : [c / q])];
}

const UNITS: Readonly<Record<string, number>> = { k: 1e3, M: 1e6, B: 1e9, T: 1e12 };

/** A number after a change: `1.5M`, `+200k`, `-10%` or `x2`; null when the text is none of them. The result may be no count. */
export function changedCount(count: number, text: string): number | null {
  const [, sign, digits, unit] = /^([+-]|x)?(\d+(?:\.\d+)?)([kMBT%])?$/.exec(text) ?? [];
  if (digits === undefined || (sign === 'x' && unit !== undefined) || (sign === undefined && unit === '%')) return null;
  const size = Number(digits) * (unit === '%' ? count / 100 : (UNITS[unit ?? ''] ?? 1));
  return Math.round(changeBy(count, sign, size));
}

function changeBy(count: number, sign: string | undefined, size: number): number {
  if (sign === 'x') return count * size;
  return sign === undefined ? size : sign === '+' ? count + size : count - size;
}
