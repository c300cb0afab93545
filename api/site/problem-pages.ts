import {
  listText,
  MAX_LEADERBOARD_LIMIT,
  PROBLEMS,
  type ProblemCode,
  WINDOW_SPECS,
} from '../../engine/contract/index.ts';
import type { ProblemPages } from '../http/error-forms.ts';
import type { Addresses } from '../http/hosts.ts';
import { negotiate } from '../http/negotiate.ts';
import { type PageForm, PROBLEM_FORMS } from '../http/page-forms.ts';
import type { Problem } from '../http/problem.ts';
import type { Features } from '../http/route.ts';
import { findForm } from './pages/forms.ts';
import { navigationOf } from './pages.ts';
import { operatorRef } from './render/addresses.ts';
import { code, link, m, text } from './render/inline.ts';
import { PAGE_TYPES, pageHeaders, pageText, type SitePage } from './render/page-text.ts';
import { bullets, cards, facts, heading, lede, type Part, prose, shownOnly, writtenOnly } from './render/parts.ts';

/** Renders problems as pages when Accept prefers a page; all other clients get problem+json. */
export function createProblemPages(addresses: Addresses & Features): ProblemPages {
  return (problem, outcome, exchange, preferred) => {
    outcome.headers['Vary'] = 'Accept';
    const form = negotiate(exchange.header('accept'), PROBLEM_FORMS[preferred]) ?? 'json';
    if (form === 'json') return outcome;
    const page = pageText(problemPage(problem, addresses, form), form, addresses, navigationOf(addresses));
    Object.assign(outcome.headers, pageHeaders(addresses), {
      'Content-Type': PAGE_TYPES[form],
      'Content-Length': String(Buffer.byteLength(page)),
    });
    return { ...outcome, body: exchange.method === 'HEAD' ? null : page };
  };
}

interface PageWords {
  readonly title: string;
  readonly detail: string;
  readonly hint: string | null;
}

const OUTAGE: PageWords = {
  title: 'Something went wrong',
  detail: 'Upsilon could not show this page. This is not your fault.',
  hint: 'Wait a moment, then reload the page.',
};

const LENGTH: Partial<PageWords> = {
  title: 'The board cannot have this length',
  detail: `The board shows 1 to ${MAX_LEADERBOARD_LIMIT} operators.`,
  hint: null,
};

const ADDRESS: Partial<PageWords> = {
  title: 'This address is not valid',
  detail: 'The part of the address after the question mark is not valid.',
  hint: 'Check the address, or continue from one of the pages below.',
};

/** Words for people, instead of a title, detail and hint that address programs. */
const FOR_PEOPLE: Partial<Record<ProblemCode, Partial<PageWords>>> = {
  path_unknown: {
    title: 'Page not found',
    detail: 'This page does not exist.',
    hint: 'Check the address, or continue from one of the pages below.',
  },
  operator_unknown: { title: 'Operator not found', hint: 'Check the spelling, or look up another codename.' },
  method_not_allowed: {
    detail: 'This page cannot be used in this way.',
    hint: 'Continue from one of the pages below.',
  },
  window_invalid: {
    title: 'Window not found',
    detail: `The windows are ${listText(
      WINDOW_SPECS.map(({ label }) => label),
      'and',
    )}.`,
    hint: 'Continue from one of the pages below.',
  },
  validation_failed: ADDRESS,
  query_repeated: ADDRESS,
  query_malformed: ADDRESS,
  limit_not_an_integer: LENGTH,
  limit_out_of_bounds: LENGTH,
  rate_limited: { hint: null },
  internal_error: OUTAGE,
  storage_unavailable: OUTAGE,
  not_ready: OUTAGE,
};

function wordsOf({ code: named, status, occurrence }: Problem, form: PageForm): PageWords {
  const { title, hint } = PROBLEMS[named];
  return {
    title,
    detail: occurrence.detail ?? `${title}.`,
    hint: occurrence.hint ?? hint,
    // Programs read Markdown, and can correct a request.
    ...(form === 'markdown' && status === 400 ? {} : FOR_PEOPLE[named]),
  };
}

function problemPage(problem: Problem, addresses: Addresses, form: PageForm): SitePage {
  const { code: named, status } = problem;
  const { title, detail, hint } = wordsOf(problem, form);
  return {
    surface: 'site',
    canonical: 'site:/',
    indexed: false,
    title,
    description: detail,
    above: m`Error ${status}`,
    parts: [
      lede(text(detail)),
      ...(hint === null ? [] : [prose(text(hint))]),
      ...suggestionParts(problem, addresses),
      facts([['Error code', link(code(named), `site:/developers/errors/${named}`)]]),
      shownOnly((to) => findForm(to)),
      writtenOnly(m`An operator’s page is at \`/operators/CODENAME\`.`),
      heading(2, 'Other pages'),
      recoveryLinks(),
    ],
  };
}

/** Operators with codenames similar to an unknown one. */
function suggestionParts({ code: named, occurrence: { links = {} } }: Problem, { siteUrl }: Addresses): Part[] {
  if (named !== 'operator_unknown' || Object.keys(links).length === 0) return [];
  const known = Object.entries(links).filter(([, href]) => href.startsWith(`${siteUrl}/operators/`));
  return [
    prose(m`Operators with similar codenames:`),
    bullets(...known.map(([codename]) => link(codename, operatorRef(codename)))),
  ];
}

const BOARD = ['The board', 'site:/', 'Operators ranked by Yield.'] as const;

/** People get the board and help, beside the form that finds an operator; programs also get what they read. */
function recoveryLinks(): Part {
  const forPeople = cards([
    BOARD,
    ['Getting started', 'site:/developers/getting-started', 'Help with reading the board and joining it.'],
    ['Methodology', 'site:/methodology', 'How scores and ranks are computed.'],
  ]);
  const forPrograms = cards([
    BOARD,
    ['Sitemap', 'site:/sitemap.xml', 'A list of all pages, for programs.'],
    ['llms.txt', 'site:/llms.txt', 'A summary of the site, for language models.'],
    ['Developer portal', 'site:/developers', 'Guides, reference, error codes.'],
    ['OpenAPI description', 'site:/openapi.json', 'The API, for programs.'],
  ]);
  return { html: forPeople.html, markdown: forPrograms.markdown };
}
