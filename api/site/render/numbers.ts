import { nextTierFrom } from '../../../engine/contract/tiers.ts';
import { METHODOLOGIES } from '../../../engine/ranking/methodologies/index.ts';
import { html } from '../../html.ts';
import { type Inline, mark, text } from './inline.ts';

const WHOLE = scoreFormat({ maximumFractionDigits: 0 });
const SCORE = scoreFormat({ maximumSignificantDigits: 4 });
const SHARE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1, roundingMode: 'trunc' });
const SMALL = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 2 });

/** Rounds to the nearest, but down where that would reach a tier that the number does not: 99,999.999 is no 100,000. */
function scoreFormat(options: Intl.NumberFormatOptions) {
  const nearest = new Intl.NumberFormat('en-US', options);
  const down = new Intl.NumberFormat('en-US', { ...options, roundingMode: 'trunc' });
  const format = (value: number): string => {
    const shown = nearest.format(value);
    return shown === nearest.format(nextTierFrom(value)) ? down.format(value) : shown;
  };
  return { format };
}

/** From here on a number is written with a power of ten. */
const POWERS_FROM = 1e12;

const SMALL_BELOW = 0.01;
const POWERS_BELOW = 1e-6;

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** A number for people, whole ones in full: "53,970", "186.9", "0.0042", "1.25 × 10¹²". */
export function readable(value: number): string {
  return Number.isInteger(value) && value < POWERS_FROM ? WHOLE.format(value) : readableScore(value);
}

function byPower(value: number): string {
  const [mantissa = '', exponent = ''] = value.toExponential(2).split('e');
  const power = Array.from(exponent.replace('+', ''), (digit) =>
    digit === '-' ? '⁻' : (SUPERSCRIPTS[Number(digit)] ?? ''),
  ).join('');
  return `${mantissa.replace(/\.?0+$/, '')} × 10${power}`;
}

/** A score, to four digits that matter. */
export function readableScore(value: number): string {
  if (value === 0) return '0';
  if (value >= POWERS_FROM || value < POWERS_BELOW) return byPower(value);
  return (value < SMALL_BELOW ? SMALL : SCORE).format(value);
}

/** `readableScore`, or a dash. */
export function scoreOr(value: number | null | undefined): Inline {
  return typeof value === 'number' ? text(readableScore(value)) : missing('none');
}

/** A number, or a dash that screen readers read as `absent`. */
export function readableOr(value: number | null | undefined, absent = 'none'): Inline {
  return typeof value === 'number' ? text(readable(value)) : missing(absent);
}

function missing(said: string): Inline {
  return mark('still', '–', said);
}

/** Places gained or lost, shown by a symbol and by words, never by colour alone. */
export function movement(places: number | null | undefined): Inline {
  if (typeof places !== 'number') return missing('not ranked then');
  if (places === 0) return mark('still', '=', 'unchanged');
  const count = WHOLE.format(Math.abs(places));
  return places > 0 ? mark('up', `▲ ${count}`, `up ${count}`) : mark('down', `▼ ${count}`, `down ${count}`);
}

export function percentile(value: number | null | undefined): Inline {
  return typeof value === 'number' ? text(percentileText(value)) : missing('none');
}

export function percentileText(value: number): string {
  return `${SHARE.format(value)}%`;
}

/** Number of badge styles: the stylesheet has `tier-0` to `tier-7`. */
const STYLES = 8;

/** Style of each tier by its position in its methodology, 0 to `STYLES` − 1; newer methodologies override older ones. */
export const LEVELS: ReadonlyMap<string, number> = new Map(
  Array.from(METHODOLOGIES.values()).flatMap(({ tiers }) =>
    tiers.map(({ name }, index): [string, number] => [
      name,
      tiers.length === 1 ? STYLES - 1 : Math.round((index / (tiers.length - 1)) * (STYLES - 1)),
    ]),
  ),
);

/** A tier as a badge; higher tiers have a stronger background. A dash for null. */
export function tierBadge(name: string | null): Inline {
  if (name === null) return missing('none');
  return { ...text(name), html: () => html`<span class="tier tier-${LEVELS.get(name) ?? 0}">${name}</span>` };
}
