import type * as z from 'zod';
import { type ProblemCode, SELECTION_HINTS } from '../../engine/contract/index.ts';
import { Problem, validationProblem } from './problem.ts';
import { type Item, itemsOf } from './validation-items.ts';

/** The query parameter in which some clients send access tokens (RFC 6750, section 2.3). Never read. */
const TOKEN_PARAMETER = 'access_token';

/** What happens to parameters that a schema does not have. */
export type UnknownParameters = 'refuse' | 'ignore' | 'but_selections';

/**
 * Parses a raw query (without `?`) by a route's schema. Unknown parameters are refused, or ignored: newer clients and other sites
 * add some. With `but_selections` those are refused that would choose what a board shows. @throws Problem with all errors:
 * query_malformed, query_unknown, parameter_not_supported, query_repeated, token_in_query, or a code of the schema.
 */
export function readQuery<S extends z.ZodObject>(search: string, schema: S, unknown: UnknownParameters): z.output<S> {
  const { values, items } = search === '' ? { values: {}, items: [] } : pairs(search, schema, unknown);
  const parsed = schema.safeParse(values);
  if (parsed.success && items.length === 0) return parsed.data;
  if (!parsed.success) items.push(...itemsOf(parsed.error, 'parameter'));
  const [first, ...rest] = items;
  throw first === undefined ? new Problem('validation_failed') : validationProblem([first, ...rest]);
}

/** @throws Problem token_in_query, when a query carries an access token. */
export function refuseTokenInQuery(search: string): void {
  if (search.includes(TOKEN_PARAMETER) && new URLSearchParams(search).has(TOKEN_PARAMETER)) {
    throw new Problem('token_in_query');
  }
}

function pairs(search: string, schema: z.ZodObject, unknown: UnknownParameters) {
  const values: Record<string, string> = {};
  const items: Item[] = [];
  const seen = new Set<string>();
  for (const pair of search.split('&')) {
    const [[name, value] = ['', '']] = new URLSearchParams(pair);
    const known = Object.hasOwn(schema.shape, name);
    const hint = unknown === 'but_selections' && !known ? SELECTION_HINTS.get(name) : undefined;
    if (pair === '' || (!known && unknown !== 'refuse' && hint === undefined)) continue;
    if (hint !== undefined) items.push(item(name, 'parameter_not_supported', `${name} is not supported here. ${hint}`));
    else if (!isWellFormed(pair)) items.push(item(name, 'query_malformed', 'A percent-escape is broken.'));
    else if (!known) items.push(item(name, 'query_unknown', 'The parameter is not known.'));
    else if (seen.has(name)) items.push(item(name, 'query_repeated', 'The parameter is given more than once.'));
    else values[name] = value;
    seen.add(name);
  }
  return { values, items };
}

function isWellFormed(search: string): boolean {
  try {
    decodeURIComponent(search);
    return true;
  } catch {
    return false;
  }
}

/** Characters of a parameter's name that are repeated in a problem. */
const SHOWN_NAME_LENGTH = 64;

function item(parameter: string, code: ProblemCode, detail: string): Item {
  return { parameter: parameter.slice(0, SHOWN_NAME_LENGTH), code, detail };
}
