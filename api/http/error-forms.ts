import type { Config } from '../../config/config.ts';
import type { Outcome, ResultExchange } from './exchange.ts';
import { type Problem, problemOutcome } from './problem.ts';

/** Renders a problem as a page when Accept prefers one; `preferred` decides for clients that accept both. Else returns `outcome`. */
export type ProblemPages = (
  problem: Problem,
  outcome: Outcome,
  exchange: ResultExchange,
  preferred: 'page' | 'problem',
) => Outcome;

interface ErrorContext {
  readonly config: Pick<Config, 'siteUrl' | 'loginUrl'>;
  readonly problemPages: ProblemPages;
}

/** How errors of a route are reported: in the form of its protocol. `instance` identifies the occurrence, also in the log. */
export type ErrorForm = (problem: Problem, exchange: ResultExchange, ctx: ErrorContext, instance?: string) => Outcome;

/** Problem details (RFC 9457), whatever the client accepts. */
export const problemJson: ErrorForm = (problem, exchange, { config }, instance) =>
  problemOutcome(problem, exchange, config.siteUrl, instance);

/** A page, or problem details where Accept prefers them. */
export const problemPage: ErrorForm = (problem, exchange, ctx, instance) =>
  ctx.problemPages(problem, problemJson(problem, exchange, ctx, instance), exchange, 'page');

/** Problem details, or a page where Accept prefers one. */
export const problemOrPage: ErrorForm = (problem, exchange, ctx, instance) =>
  ctx.problemPages(problem, problemJson(problem, exchange, ctx, instance), exchange, 'problem');
