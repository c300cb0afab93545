import { type Html, html, NOTHING } from '../../html.ts';
import type { Ref, Resolver } from './addresses.ts';
import { type Inline, inlineHtml, inlineMarkdown, text } from './inline.ts';

/** A piece of a page. HTML and Markdown are rendered from the same data. */
export interface Part {
  html(to: Resolver): Html;
  /** One block, without a line break at its end; empty when the part has no text. */
  markdown(to: Resolver): string;
}

/** A heading of a section; `id` is its anchor. */
export function heading(level: 2 | 3, label: string, id = slug(label)): Part {
  return {
    html: () => (level === 2 ? html`<h2 id="${id}">${label}</h2>` : html`<h3 id="${id}">${label}</h3>`),
    markdown: (to) => `${'#'.repeat(level)} ${inlineMarkdown(text(label), to)}`,
  };
}

export function prose(...paragraphs: readonly Inline[]): Part {
  return {
    html: (to) => html`${paragraphs.map((runs) => html`<p>${inlineHtml(runs, to)}</p>`)}`,
    markdown: (to) => paragraphs.map((runs) => inlineMarkdown(runs, to)).join('\n\n'),
  };
}

/** The sentence under a page's title. */
export function lede(runs: Inline): Part {
  return {
    html: (to) => html`<p class="lede">${inlineHtml(runs, to)}</p>`,
    markdown: (to) => inlineMarkdown(runs, to),
  };
}

export function bullets(...items: readonly Inline[]): Part {
  return {
    html: (to) => html`<ul>${items.map((runs) => html`<li>${inlineHtml(runs, to)}</li>`)}</ul>`,
    markdown: (to) => items.map((runs) => `- ${inlineMarkdown(runs, to)}`).join('\n'),
  };
}

/** Numbered steps, each with parts under it. */
export function steps(...items: readonly (readonly [Inline, ...Part[]])[]): Part {
  return {
    html: (to) =>
      html`<ol class="steps">${items.map(([runs, ...parts]) => html`<li><p>${inlineHtml(runs, to)}</p>${parts.map((part) => part.html(to))}</li>`)}</ol>`,
    markdown: (to) =>
      items
        .map(([runs, ...parts], index) => {
          const body = [inlineMarkdown(runs, to), ...parts.map((part) => part.markdown(to))].join('\n\n');
          return `${index + 1}. ${body.replaceAll('\n', '\n   ').replaceAll(/^ +$/gm, '')}`;
        })
        .join('\n\n'),
  };
}

/**
 * Lines to be read or typed exactly as they are; a function makes lines that contain an address. `label` is for
 * screen readers.
 */
export function codeBlock(language: string, lines: string | ((to: Resolver) => string), label = 'Example'): Part {
  const linesOf = (to: Resolver): string => (typeof lines === 'string' ? lines : lines(to));
  return {
    html: (to) => html`<pre tabindex="0" role="region" aria-label="${label}"><code>${linesOf(to)}</code></pre>`,
    markdown(to) {
      const written = linesOf(to);
      const fence = written.includes('```') ? '````' : '```';
      return `${fence}${language}\n${written}\n${fence}`;
    },
  };
}

/** A list of terms with their values. */
export function facts(rows: readonly (readonly [term: string, is: Inline])[], className = 'facts'): Part {
  return {
    html: (to) =>
      html`<dl class="${className}">${rows.map(([term, is]) => html`<div><dt>${term}</dt><dd>${inlineHtml(is, to)}</dd></div>`)}</dl>`,
    markdown: (to) =>
      rows.map(([term, is]) => `- **${inlineMarkdown(text(term), to)}**: ${inlineMarkdown(is, to)}`).join('\n'),
  };
}

/** Links with one line of description each. */
export function cards(items: readonly (readonly [label: string, href: Ref, about: string])[]): Part {
  return {
    html: (to) =>
      html`<ul class="cards">${items.map(([label, href, about]) => html`<li><a href="${to.near(href)}">${label}</a><p>${about}</p></li>`)}</ul>`,
    markdown: (to) =>
      items
        .map(
          ([label, href, about]) =>
            `- [${inlineMarkdown(text(label), to)}](${to.far(href)}): ${inlineMarkdown(text(about), to)}`,
        )
        .join('\n'),
  };
}

/** Parts in a `section` element; in Markdown, one after the other. */
export function section(className: string, ...parts: readonly Part[]): Part {
  return {
    html: (to) => html`<section class="${className}">${parts.map((part) => part.html(to))}</section>`,
    markdown: (to) => joinBlocks(parts, to),
  };
}

/** Parts in a `details` element; in Markdown, always visible. */
export function folded(label: string, ...parts: readonly Part[]): Part {
  return {
    html: (to) => html`<details><summary>${label}</summary>${parts.map((part) => part.html(to))}</details>`,
    markdown: (to) => joinBlocks(parts, to),
  };
}

/** Content of HTML only, such as a form; it must not contain information that Markdown readers lack. */
export function shownOnly(show: (to: Resolver) => Html): Part {
  return { html: show, markdown: () => '' };
}

/** Content of Markdown only, such as the address behind a form. */
export function writtenOnly(...paragraphs: readonly Inline[]): Part {
  return { ...prose(...paragraphs), html: () => NOTHING };
}

export function joinBlocks(parts: readonly Part[], to: Resolver): string {
  return parts
    .map((part) => part.markdown(to))
    .filter((block) => block !== '')
    .join('\n\n');
}

/** A heading's anchor. */
export function slug(label: string): string {
  return label
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}
