/** Characters with a special meaning in Markdown or in HTML inside it. */
const SPECIAL = /[\\`*_[\]<>#|~&!]/g;

/** Line breaks and invisible characters that can change the text around them. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Escapes text so that Markdown renders it literally, on one line. */
export function escapeMarkdown(text: string): string {
  return text.replace(INVISIBLE, ' ').replace(SPECIAL, String.raw`\$&`);
}
