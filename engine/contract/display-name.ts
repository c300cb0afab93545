/** Longest display name, in characters. */
export const MAX_DISPLAY_NAME_LENGTH = 64;

/**
 * Characters that are invisible or change how others are shown: controls, formats, tags, fillers, variation selectors, line
 * separators, private use, unpaired surrogates, spaces other than U+0020 and U+3000, and letters and symbols that are blank
 * (U+2800 and U+1D159) or replace missing content (U+FFFC).
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\ufffc\u{1d159}]/u;

/** More combining marks than usual spellings put on one letter. Spacing marks do not stack. */
const STACKED = /[\p{Mn}\p{Me}]{3}/u;

const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** The reason why a display name is invalid, apart from its length, as a sentence; null when it is valid. */
export function displayNameFault(name: string): string | null {
  return textFault(name, 'A name');
}

/** The same for other texts that operators write for others to read. */
export function textFault(name: string, subject: string): string | null {
  const [hidden] = HIDDEN.exec(name) ?? [];
  if (hidden !== undefined) {
    const point = (hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `${subject} has no invisible, blank, format, control or private-use characters; this one has U+${point}.`;
  }
  if (STACKED.test(name.normalize('NFC'))) return `${subject} has at most two combining marks in a row.`;
  return VISIBLE.test(name) ? null : `${subject} has at least one visible character.`;
}

/** Longest name of an app, a device or an automation token, in characters. */
export const MAX_LABEL_LENGTH = 40;

/** Characters that look like letters of the product's name. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({ u: 'υս', p: 'рρ', s: 'ѕ5$', l: 'iіιı1|!', o: 'оοօ0', n: 'ո' }).flatMap(([letter, alike]) =>
    Array.from(alike, (each): [string, string] => [each, letter]),
  ),
);

/** Letters and digits alone, in one form for those that look alike. */
function skeletonOf(name: string): string {
  const folded = Array.from(name.normalize('NFKD').toLowerCase(), (each) => LOOKALIKES.get(each) ?? each);
  return folded.join('').replace(/[^\p{L}\p{N}]/gu, '');
}

const PRODUCT = skeletonOf('Upsilon');

/** The reason why a name of an app, a device or an automation token is invalid, as a sentence; null when it is valid. */
export function labelFault(name: string, subject: string): string | null {
  if (Array.from(name).length > MAX_LABEL_LENGTH) return `${subject} has at most ${MAX_LABEL_LENGTH} characters.`;
  if (skeletonOf(name).includes(PRODUCT)) return `${subject} does not contain the name Upsilon.`;
  return textFault(name, subject);
}

/** A stored display name for output: null where it breaks the rule, which is newer than some stored names. */
export function shownDisplayName(stored: string | null): string | null {
  return stored === null || displayNameFault(stored) !== null ? null : stored;
}
