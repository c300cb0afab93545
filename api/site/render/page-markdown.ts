import type { Addresses } from '../../http/hosts.ts';
import { createResolver } from './addresses.ts';
import { inlineMarkdown, text } from './inline.ts';
import { joinBlocks } from './parts.ts';
import type { SitePage } from './site-page.ts';

/** A page as a complete Markdown document. Links are absolute. */
export function pageMarkdown(page: SitePage, addresses: Addresses): string {
  const to = createResolver(addresses, page.surface);
  const { heading = text(page.title), above, indexed = true } = page;
  const blocks = [
    `# ${inlineMarkdown(heading, to)}`,
    ...(above === undefined ? [] : [inlineMarkdown(above, to)]),
    joinBlocks(page.parts, to),
    ...(indexed ? ['---', `This page: <${to.far(page.canonical)}>`] : []),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}
