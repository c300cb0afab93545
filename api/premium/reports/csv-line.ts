/** Where a text, or what follows a separator of some spreadsheet in it, would be evaluated as a formula. */
const FORMULA = /^(?=[\t\r])|(^|[;,\t\r\n])(?=\s*[=+\-@])/g;

/**
 * A line of CSV (RFC 4180). Texts are quoted when necessary; null is empty. A text that a spreadsheet would evaluate as a formula
 * gets a leading apostrophe, which marks it as text.
 */
export function csvLine(fields: readonly (string | number | null)[]): string {
  return `${fields.map(csvField).join(',')}\r\n`;
}

function csvField(field: string | number | null): string {
  if (field === null) return '';
  if (typeof field === 'number') return String(field);
  const text = field.replace(FORMULA, "$1'");
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
