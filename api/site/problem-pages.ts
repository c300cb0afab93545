import { PROBLEMS, type ProblemCode } from '../../engine/contract/index.ts';
import type { Addresses } from '../http/hosts.ts';
import type { ProblemPages } from '../http/http-context.ts';
import { negotiate } from '../http/negotiate.ts';
import { PROBLEM_FORMS } from '../http/page-forms.ts';
import type { Problem } from '../http/problem.ts';
import { findForm } from './pages/forms.ts';
import { NAVIGATION } from './pages.ts';
import { operatorRef } from './render/addresses.ts';
import { code, link, m, text } from './render/inline.ts';
import { PAGE_TYPES, pageHeaders, pageText, type SitePage } from './render/page-text.ts';
import { bullets, cards, facts, heading, lede, type Part, prose, shownOnly, writtenOnly } from './render/parts.ts';

/** Renders problems as pages when Accept prefers a page; all other clients get problem+json. */
export function createProblemPages(addresses: Addresses): ProblemPages {
  return (problem, outcome, exchange, preferred) => {
    outcome.headers['Vary'] = 'Accept';
    const form = negotiate(exchange.header('accept'), PROBLEM_FORMS[preferred]) ?? 'json';
    if (form === 'json') return outcome;
    const bytes = Buffer.from(pageText(problemPage(problem, addresses), form, addresses, NAVIGATION), 'utf8');
    Object.assign(outcome.headers, pageHeaders(addresses), {
      'Content-Type': PAGE_TYPES[form],
      'Content-Length': String(bytes.length),
    });
    return { ...outcome, body: exchange.method === 'HEAD' ? null : bytes };
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

/** Words for people, instead of a title, detail and hint that address programs. */
const FOR_PEOPLE: Partial<Record<ProblemCode, Partial<PageWords>>> = {
  path_unknown: {
    title: 'Page not found',
    detail: 'This page does not exist.',
    hint: 'Check the address, or continue from one of the pages below.',
  },
  operator_unknown: { title: 'Operator not found', hint: 'Check the spelling, or look up another codename.' },
  method_not_allowed: { detail: 'This page cannot be used in this way.', hint: 'Go back and try again.' },
  rate_limited: { hint: null },
  internal_error: OUTAGE,
  storage_unavailable: OUTAGE,
  not_ready: OUTAGE,
};

function wordsOf({ code: named, occurrence }: Problem): PageWords {
  const { title, hint } = PROBLEMS[named];
  return {
    title,
    detail: occurrence.detail ?? `${title}.`,
    hint: occurrence.hint ?? hint,
    ...FOR_PEOPLE[named],
  };
}

function problemPage(problem: Problem, addresses: Addresses): SitePage {
  const { code: named, status } = problem;
  const { title, detail, hint } = wordsOf(problem);
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

function recoveryLinks(): Part {
  return cards([
    ['The board', 'site:/', 'Operators ranked by Yield.'],
    ['Sitemap', 'site:/sitemap.xml', 'A list of all pages, for programs.'],
    ['llms.txt', 'site:/llms.txt', 'A summary of the site, for language models.'],
    ['Developer portal', 'site:/developers', 'Guides, reference, error codes.'],
    ['OpenAPI description', 'site:/openapi.json', 'The API, for programs.'],
  ]);
}
