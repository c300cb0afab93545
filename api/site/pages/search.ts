import { OperatorSearchQuery } from '../../../engine/contract/index.ts';
import { fromStorage } from '../../http/problem.ts';
import { BOARD_PAGE_CACHE, definePage } from '../page.ts';
import { operatorRef, searchRef } from '../render/addresses.ts';
import { link, m } from '../render/inline.ts';
import { bullets, lede, prose, shownOnly } from '../render/parts.ts';
import { findForm } from './forms.ts';

/** Codenames on the page; more are found by more letters. */
const SHOWN = 50;

/** The codenames that begin with what was typed. */
export const search = definePage({
  surface: 'site',
  path: '/search',
  operationId: 'getSearchPage',
  summary: 'Find an operator',
  unindexed: true,
  query: OperatorSearchQuery,
  problems: ['prefix_invalid'],
  cache: BOARD_PAGE_CACHE,
  async content({ query: { prefix } }, { board }) {
    const found = await fromStorage(() => board.withBoardView((view) => view.codenamesFrom(prefix, SHOWN)));
    return {
      make: () => ({
        surface: 'site',
        canonical: searchRef(prefix),
        indexed: false,
        area: 'Board',
        title: 'Find an operator',
        description: 'Operators by the beginning of their codenames.',
        parts: [
          lede(
            found.length === 0
              ? m`No codename begins with **${prefix}**.`
              : m`Codenames that begin with **${prefix}**${found.length === SHOWN ? m`, the first ${SHOWN}` : ''}:`,
          ),
          ...(found.length === 0 ? [] : [bullets(...found.map((codename) => link(codename, operatorRef(codename))))]),
          shownOnly((to) => findForm(to)),
          prose(m`[The whole board](site:/)`),
        ],
      }),
    };
  },
});
