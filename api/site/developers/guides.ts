import { errors } from './errors.ts';
import { gettingStarted } from './getting-started.ts';
import type { Guide } from './guide.ts';
import { premium } from './premium.ts';
import { rateLimits } from './rate-limits.ts';
import { signing } from './signing.ts';
import { versioning } from './versioning.ts';

/** The guides of the developer portal, in the order in which they are read. */
export const GUIDES: readonly Guide[] = [gettingStarted, signing, errors, rateLimits, premium, versioning];
