import type * as z from 'zod';
import type { ProblemCode } from '../../engine/contract/index.ts';
import type { BoardOverview } from '../../engine/ranking/index.ts';
import { METHODOLOGIES, type Methodology } from '../../engine/ranking/methodologies/index.ts';
import type { Representation } from '../http/representation.ts';
import type { CachePolicy, Route, Surface } from '../http/route.ts';
import type { Ref } from './render/addresses.ts';
import type { SitePage } from './render/page-text.ts';
import type { SiteContext } from './site-context.ts';

/** Pages of the board are as fresh as the board; an edge may keep them for some seconds. */
export const BOARD_PAGE_CACHE: CachePolicy = { maxAge: 5, sharedMaxAge: 10, staleWhileRevalidate: 30 };

/** What a page is rendered from. */
export interface PageContent {
  readonly make: () => SitePage;
  /** The key of the finished page in memory; it contains the board version where the page depends on the board. */
  readonly kept?: string;
  /** The board version that was read before the page was made; only answers with one are repeated by the fast path. */
  readonly board?: number;
}

/** Another page in place of one. */
export interface Elsewhere {
  readonly leadsTo: Ref;
}

/** A page of the website: its route, its place in the navigation and in the lists for programs follow from it. */
export interface PageEntry<P extends z.ZodObject = z.ZodObject, Q extends z.ZodObject = z.ZodObject>
  extends Pick<
    Route<SiteContext, 'public', P, Q>,
    'operationId' | 'summary' | 'params' | 'query' | 'fastPath' | 'offered'
  > {
  readonly surface: Surface;
  readonly path: `/${string}`;
  /** Title and one sentence in llms.txt; pages without it have parameters in their path and are not listed. */
  readonly listed?: { readonly title: string; readonly about: string };
  /** Asks search engines not to list it. */
  readonly unindexed?: true;
  /** Whether llms-full.txt contains its text. */
  readonly inFull?: true;
  /** Its word in the navigation. */
  readonly nav?: NonNullable<SitePage['area']>;
  /** Problems besides `not_acceptable`. */
  readonly problems?: readonly ProblemCode[];
  /** Without it, nothing may keep the page. */
  readonly cache?: CachePolicy;
  /** Shows what the operator who is signed in in this browser may see: no page of another origin reads it. */
  readonly bySession?: true;
  content(
    input: { readonly params: z.output<P>; readonly query: z.output<Q> },
    ctx: SiteContext,
    operator: number | null,
  ): PageContent | Elsewhere | Promise<PageContent | Elsewhere>;
  /** The same as JSON, for clients whose Accept prefers it. */
  data?(params: z.output<P>, ctx: SiteContext): Representation | Promise<Representation>;
}

/** Declares a page: infers the content's input from the schemas beside it. */
export function definePage<P extends z.ZodObject, Q extends z.ZodObject>(entry: PageEntry<P, Q>): PageEntry {
  return entry;
}

/** The methodology that made a board. */
export function methodologyOf({ methodology }: Pick<BoardOverview, 'methodology'>): Methodology {
  const found = METHODOLOGIES.get(methodology);
  if (found === undefined) throw new Error(`unknown methodology ${methodology}`);
  return found;
}
