import type { CachePolicy } from '../http/route.ts';

/**
 * Public ranking data: an edge may answer for some seconds on its own, and for longer while it asks again. A board
 * changes about once a second, and nobody needs to see each of them.
 */
export const RANKING_CACHE: CachePolicy = { maxAge: 5, sharedMaxAge: 10, staleWhileRevalidate: 30 };

/** Documents that change with a release or a key rotation. */
export const DOCUMENT_CACHE: CachePolicy = { maxAge: 300, sharedMaxAge: 300, staleWhileRevalidate: 600 };
