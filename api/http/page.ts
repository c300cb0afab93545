/** A small page: shown as HTML or Markdown. Texts are plain; both renderers escape them. */
export interface Page {
  readonly title: string;
  readonly paragraphs: readonly string[];
  /** Terms and what they are, such as a status. */
  readonly facts: readonly (readonly [term: string, text: string])[];
  readonly links: readonly (readonly [label: string, href: string])[];
}

export type PageForm = 'html' | 'markdown' | 'json';

export const PAGE_MEDIA_TYPES: Readonly<Record<PageForm, string>> = {
  html: 'text/html; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  json: 'application/json; charset=utf-8',
};

export function pageAsHtml({ title, paragraphs, facts, links }: Page): string {
  const body = [
    `<h1>${escapeHtml(title)}</h1>`,
    ...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
    facts.length === 0
      ? ''
      : `<dl>${facts.map(([term, text]) => `<dt>${escapeHtml(term)}</dt><dd>${escapeHtml(text)}</dd>`).join('')}</dl>`,
    `<ul>${links.map(([label, href]) => `<li><a href="${escapeHtml(href)}">${escapeHtml(label)}</a></li>`).join('')}</ul>`,
  ].join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem}dt{font-weight:600}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

export function pageAsMarkdown({ title, paragraphs, facts, links }: Page): string {
  const blocks = [
    `# ${escapeMarkdown(title)}`,
    ...paragraphs.map(escapeMarkdown),
    facts.map(([term, text]) => `- **${escapeMarkdown(term)}**: ${escapeMarkdown(text)}`).join('\n'),
    links.map(([label, href]) => `- [${escapeMarkdown(label)}](${href})`).join('\n'),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>#|]/g, String.raw`\$&`);
}
