import type { Surface } from '../../http/route.ts';
import type { Ref } from './addresses.ts';
import type { Inline } from './inline.ts';
import type { Part } from './parts.ts';

/** A page of the website, independent of its form. */
export interface SitePage {
  readonly surface: Surface;
  /** The canonical address. */
  readonly canonical: Ref;
  readonly title: string;
  /** One sentence, for search results and previews. */
  readonly description: string;
  /** The title as it is shown; `title` unless given. */
  readonly heading?: Inline;
  /** A line above the title, such as the section of the page. */
  readonly above?: Inline;
  readonly parts: readonly Part[];
  /** schema.org data, as JSON-LD. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** False for error pages: they get `noindex` and no canonical address. */
  readonly indexed?: boolean;
  /** The word of the navigation that it belongs to. */
  readonly area?: 'Board' | 'Compare' | 'Methodology' | 'Developers';
  /** Pages of words are narrow, pages of tables wide. */
  readonly width?: 'words' | 'tables';
}
