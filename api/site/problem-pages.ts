import { PROBLEMS } from '../../engine/contract/index.ts';
import type { Addresses } from '../http/hosts.ts';
import type { ProblemPages } from '../http/http-context.ts';
import { negotiate } from '../http/negotiate.ts';
import { PAGE_FORMS, type PageForm } from '../http/page-forms.ts';
import type { Problem } from '../http/problem.ts';
import { findForm } from './pages/forms.ts';
import { NAVIGATION } from './pages.ts';
import { operatorRef } from './render/addresses.ts';
import { code, link, m, text } from './render/inline.ts';
import { PAGE_TYPES, pageHeaders, pageText, type SitePage } from './render/page-text.ts';
import { bullets, cards, facts, heading, lede, type Part, prose, shownOnly, writtenOnly } from './render/parts.ts';

type ProblemForm = PageForm | 'json';

const DATA = [
  ['json', 'application/problem+json'],
  ['json', 'application/json'],
] as const satisfies readonly (readonly [ProblemForm, string])[];

/** Renders problems as pages when Accept prefers a page; all other clients get problem+json. */
export function createProblemPages(addresses: Addresses): ProblemPages {
  return (problem, outcome, exchange, preferred) => {
    outcome.headers['Vary'] = 'Accept';
    const forms = preferred === 'page' ? [...PAGE_FORMS, ...DATA] : [...DATA, ...PAGE_FORMS];
    const form = negotiate<ProblemForm>(exchange.header('accept'), forms) ?? 'json';
    if (form === 'json') return outcome;
    const bytes = Buffer.from(pageText(problemPage(problem, addresses), form, addresses, NAVIGATION), 'utf8');
    Object.assign(outcome.headers, pageHeaders(addresses), {
      'Content-Type': PAGE_TYPES[form],
      'Content-Length': String(bytes.length),
    });
    return { ...outcome, body: exchange.method === 'HEAD' ? null : bytes };
  };
}

function problemPage(problem: Problem, addresses: Addresses): SitePage {
  const { code: named, status, occurrence } = problem;
  const { title } = PROBLEMS[named];
  const detail = occurrence.detail ?? `${title}.`;
  const hint = occurrence.hint ?? PROBLEMS[named].hint;
  return {
    surface: 'site',
    canonical: 'site:/',
    indexed: false,
    title,
    description: detail,
    above: m`${status}`,
    parts: [
      lede(text(detail)),
      prose(text(hint)),
      ...suggestionParts(problem, addresses),
      facts([['Code', link(code(named), `site:/developers/errors/${named}`)]]),
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
    ['Sitemap', 'site:/sitemap.xml', 'Every page, for programs.'],
    ['llms.txt', 'site:/llms.txt', 'A summary of the site, for language models.'],
    ['Developer portal', 'site:/developers', 'Guides, reference, error codes.'],
    ['OpenAPI description', 'site:/openapi.json', 'The API, for programs.'],
  ]);
}
