import type { Surface } from '../../http/route.ts';
import type { Ref } from './addresses.ts';
import type { Inline } from './inline.ts';
import type { Part } from './parts.ts';

/** A page of the website, before it takes a form. */
export interface SitePage {
  /** On which base it is. */
  readonly surface: Surface;
  /** Its one address. */
  readonly canonical: Ref;
  readonly title: string;
  /** One sentence, for search results and previews. */
  readonly description: string;
  /** The title as it is shown; `title` unless given. */
  readonly heading?: Inline;
  /** What stands over the title, such as the section it belongs to. */
  readonly above?: Inline;
  readonly parts: readonly Part[];
  /** schema.org data, as JSON-LD. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** False keeps a page, such as an error, out of indexes, and leaves its canonical address out. */
  readonly indexed?: boolean;
  /** Which entry of the navigation it belongs to. */
  readonly area?: 'board' | 'compare' | 'methodology' | 'developers';
  /** Pages of words are narrow, pages of tables wide. */
  readonly width?: 'words' | 'tables';
}
