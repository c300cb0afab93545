import type { Features } from '../http/route.ts';
import { errorPage } from './developers/errors.ts';
import { guideEntry } from './developers/guide.ts';
import { developers, GUIDES } from './developers/index-page.ts';
import { reference } from './developers/reference.ts';
import type { PageEntry } from './page.ts';
import { about, privacy } from './pages/about.ts';
import { archivePage } from './pages/archive.ts';
import { calculator } from './pages/calculator.ts';
import { compare } from './pages/compare.ts';
import { evidence } from './pages/evidence.ts';
import { home } from './pages/home.ts';
import { leaguePage, privateLeaguePage } from './pages/league.ts';
import { list } from './pages/list.ts';
import { methodologyEntry } from './pages/methodology.ts';
import { operator } from './pages/operator.ts';
import { platformPage } from './pages/platform.ts';
import { search } from './pages/search.ts';
import type { Navigation } from './render/page-text.ts';

/** Every page, most important first. */
export const PAGES: readonly PageEntry[] = [
  home,
  platformPage,
  operator,
  search,
  list,
  leaguePage,
  privateLeaguePage,
  evidence,
  compare,
  calculator,
  methodologyEntry,
  archivePage,
  about,
  privacy,
  developers,
  ...GUIDES.map(guideEntry),
  reference,
  errorPage,
];

/** The pages of an installation. */
export function offeredPages(config: Features): readonly PageEntry[] {
  return PAGES.filter(({ offered }) => offered?.(config) !== false);
}

/** The pages that llms.txt and the sitemap contain. */
export function listedPages(config: Features) {
  return offeredPages(config).flatMap(({ surface, path, listed }) =>
    listed === undefined ? [] : [{ ...listed, ref: `${surface}:${path}` as const }],
  );
}

/** The words of the header, that of the developers with its pages. */
export function navigationOf(config: Features): Navigation {
  const guides = listedPages(config).filter(({ ref }) => ref.startsWith('site:/developers'));
  return PAGES.flatMap(({ surface, path, nav }) =>
    nav === undefined
      ? []
      : [{ label: nav, ref: `${surface}:${path}` as const, pages: nav === 'Developers' ? guides : [] }],
  );
}
