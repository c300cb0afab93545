import type { CachePolicy } from '../http/route.ts';

/** Public ranking data: a board changes about once a second, and a delay of some seconds is acceptable. */
export const RANKING_CACHE: CachePolicy = { maxAge: 5, sharedMaxAge: 10, staleWhileRevalidate: 30 };

/** Documents that change with a release or a key rotation. */
export const DOCUMENT_CACHE: CachePolicy = { maxAge: 300, sharedMaxAge: 300, staleWhileRevalidate: 600 };
