/** Characters that Markdown, or HTML inside it, could read as more than themselves. */
const SPECIAL = /[\\`*_[\]<>#|~&!]/g;

/** Line breaks and other characters that show nothing and change what is around them. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Text as Markdown that shows this text and nothing else, on one line. */
export function escapeMarkdown(text: string): string {
  return text.replace(INVISIBLE, ' ').replace(SPECIAL, String.raw`\$&`);
}
