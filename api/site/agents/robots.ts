import type { Addresses } from '../../http/hosts.ts';
import { CONTENT_SIGNAL } from '../../http/standard-headers.ts';

/** Crawlers may index pages and quote them with a link back, and may not train models on them. */
export function robotsText({ siteUrl }: Addresses): string {
  return `# Content signals: this site may be searched and read as input, with a reference to it. It may not be used for training.
# search: building an index and showing links and short excerpts.
# ai-input: reading pages into a model's input to answer a question, with a link back.
# ai-train: training or tuning models. Not permitted.
# use=reference: index, excerpt, link back.

User-agent: *
Content-Signal: ${CONTENT_SIGNAL}
Allow: /

Sitemap: ${siteUrl}/sitemap.xml
`;
}
