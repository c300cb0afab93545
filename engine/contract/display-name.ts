/** Characters of a display name at most. */
export const MAX_DISPLAY_NAME_LENGTH = 64;

/**
 * Characters that show nothing, or change how others show: controls, formats, tags, fillers, variation selectors, separators
 * of lines, private use, halves of characters, spaces other than U+0020 and U+3000, and letters and symbols that are blank
 * (U+2800 and U+1D159) or stand for what is missing (U+FFFC).
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\ufffc\u{1d159}]/u;

/** More combining marks than any usual spelling puts on one letter. Marks that take a place of their own do not stack. */
const STACKED = /[\p{Mn}\p{Me}]{3}/u;

const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** What is wrong with a display name apart from its length, as a sentence; null when nothing is. */
export function displayNameFault(name: string): string | null {
  const [hidden] = HIDDEN.exec(name) ?? [];
  if (hidden !== undefined) {
    const point = (hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `A display name has no invisible, blank, format, control or private-use characters; this one has U+${point}.`;
  }
  if (STACKED.test(name.normalize('NFC'))) return 'A display name has at most two combining marks in a row.';
  return VISIBLE.test(name) ? null : 'A display name has at least one visible character.';
}

/** A stored display name as it is shown: null where it breaks the rule, which was made after some were stored. */
export function shownDisplayName(stored: string | null): string | null {
  return stored === null || displayNameFault(stored) !== null ? null : stored;
}
