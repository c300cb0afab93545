/** Characters of the longest list header (such as Accept) that is parsed, and the number of its members that are used. */
const MAX_LIST_LENGTH = 1_024;
const MAX_LIST_MEMBERS = 32;

/** One member of a list header with its weight. */
interface Weighted {
  readonly name: string;
  readonly weight: number;
}

/** The members of a list header with their weights; none of a header that is too long, as if it were absent. */
export function weightedMembers(value: string): readonly Weighted[] {
  if (value.length > MAX_LIST_LENGTH) return [];
  return value.toLowerCase().split(',', MAX_LIST_MEMBERS).map(parseMember);
}

/** The form that an Accept value weighs highest; among equals and without the header, the first. Null when it takes none. */
export function negotiate<F extends string>(
  accept: string | undefined,
  forms: readonly (readonly [F, string])[],
): F | null {
  const given = weightedMembers(accept ?? '*/*');
  const ranges = given.length === 0 ? ANYTHING : given;
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

const ANYTHING: readonly Weighted[] = [{ name: '*/*', weight: 1 }];

function parseMember(text: string): Weighted {
  const [name = '', ...parameters] = text.split(';').map((piece) => piece.trim());
  const q = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = q === undefined ? 1 : Number(q.slice(2));
  return { name, weight: Number.isFinite(weight) ? weight : 0 };
}

/** RFC 9110, 12.5.1: the most specific range decides. */
function weightOf(mediaType: string, ranges: readonly Weighted[]): number {
  const family = `${mediaType.split('/', 1)[0]}/*`;
  for (const type of [mediaType, family, '*/*']) {
    const range = ranges.find((candidate) => candidate.name === type);
    if (range !== undefined) return range.weight;
  }
  return 0;
}
