import { listedPages } from '../../../api/site/pages.ts';
import { TEST_SETTINGS } from '../../support/api-context.ts';
import { HOSTILE, RISING, STEADY } from '../../support/site-field.ts';

/** A path of every page of the site, over the population of `openSiteFixture`. */
export const SITE_PATHS: readonly string[] = [
  ...listedPages(TEST_SETTINGS).map(({ ref }) => ref.slice(ref.indexOf(':') + 1)),
  '/?window=7d&limit=10',
  '/?from=11&limit=10',
  '/search?prefix=o',
  '/platform/claude-code',
  '/platform/codex',
  `/list?operators=${RISING},${STEADY},nobody-here`,
  `/list?operators=${RISING},${STEADY}&view=screen`,
  `/operators/${RISING}`,
  `/operators/${RISING}?window=7d`,
  `/operators/${HOSTILE}`,
  '/operators/no-tokens-yet',
  `/compare?a=${RISING}&b=${STEADY}`,
  `/compare?a=${RISING}&b=${STEADY}&c=${HOSTILE}`,
  '/developers/errors/rate_limited',
];
