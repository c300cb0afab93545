import type { TestApi } from '../../support/test-api.ts';

/** Paths that other surfaces of the same origin bring; they are linked from here and tested there. */
const ELSEWHERE = /^\/(?:login|account|auth)(?:[/?#]|$)/;

/** A page as it was answered. */
export interface Crawled {
  readonly path: string;
  readonly status: number;
  readonly text: string;
  /** Ids of its elements: what links with a fragment need. */
  readonly ids: ReadonlySet<string>;
  readonly links: readonly string[];
}

/** Follows every link from some paths on, within the origin; answers every page and file that was reached, by path. */
export async function crawl(test: TestApi, from: readonly string[], most: number): Promise<Map<string, Crawled>> {
  const reached = new Map<string, Crawled>();
  const waiting = [...from];
  for (let path = waiting.shift(); path !== undefined && reached.size < most; path = waiting.shift()) {
    if (reached.has(path)) continue;
    const page = await fetchPage(test, path);
    reached.set(path, page);
    for (const link of page.links) {
      const [target = ''] = link.split('#', 1);
      if (target !== '' && !reached.has(target)) waiting.push(target);
    }
  }
  return reached;
}

async function fetchPage(test: TestApi, path: string): Promise<Crawled> {
  const { status, headers, text } = await test.get(path, { accept: 'text/html, */*;q=0.5' });
  const isPage = headers.get('content-type')?.startsWith('text/html') === true;
  const markup = isPage ? text.replaceAll(/<pre[\s\S]*?<\/pre>/g, '') : '';
  return {
    path,
    status,
    text,
    ids: new Set(Array.from(markup.matchAll(/\sid="([^"]+)"/g), ([, id = '']) => id)),
    links: Array.from(markup.matchAll(/\s(?:href|src|action)="([^"]*)"/g), ([, href = '']) => href)
      .map((href) => href.replaceAll('&amp;', '&').replace(test.settings.siteUrl, ''))
      .map((href) => (href === '' ? '/' : href))
      .map((href) => (href.startsWith('#') ? `${path}${href}` : href))
      .filter((href) => href.startsWith('/') && !ELSEWHERE.test(href)),
  };
}
