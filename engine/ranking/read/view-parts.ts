import type { RankingContext } from '../context.ts';
import type { Histories } from './history.ts';
import type { FormerStates } from './kept-boards.ts';
import type { PageCache } from './page-cache.ts';
import type { RankChanges } from './rank-change.ts';

/** What reads of boards share: caches, and readers of former boards. */
export interface ViewParts {
  readonly context: RankingContext;
  readonly pages: PageCache;
  readonly histories: Histories;
  readonly rankChanges: RankChanges;
  readonly former: FormerStates;
  /** Of the boards of platforms. */
  readonly platforms: { readonly states: FormerStates; readonly pages: PageCache };
}
