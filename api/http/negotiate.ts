/**
 * The form among `forms` that an Accept value weighs highest; among equals, and without the header, the first. Null when
 * the client takes none of them.
 */
export function negotiate<F extends string>(
  accept: string | undefined,
  forms: readonly (readonly [F, string])[],
): F | null {
  const ranges = (accept ?? '*/*').toLowerCase().split(',').map(parseRange);
  let best: F | null = null;
  let bestWeight = 0;
  for (const [form, mediaType] of forms) {
    const weight = weightOf(mediaType, ranges);
    if (weight > bestWeight) {
      best = form;
      bestWeight = weight;
    }
  }
  return best;
}

interface Range {
  readonly type: string;
  readonly weight: number;
}

function parseRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((piece) => piece.trim());
  const q = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = q === undefined ? 1 : Number(q.slice(2));
  return { type, weight: Number.isFinite(weight) ? weight : 0 };
}

/** RFC 9110, 12.5.1: the most specific range decides. */
function weightOf(mediaType: string, ranges: readonly Range[]): number {
  const family = `${mediaType.split('/', 1)[0]}/*`;
  for (const type of [mediaType, family, '*/*']) {
    const range = ranges.find((candidate) => candidate.type === type);
    if (range !== undefined) return range.weight;
  }
  return 0;
}
