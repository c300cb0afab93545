import type { ErrorForm } from '../../http/error-forms.ts';
import type { Problem } from '../../http/problem.ts';
import { JSON_TYPE } from '../../http/representation.ts';

/** Errors as OAuth has them (RFC 6749, 5.2; `slow_down`: RFC 8628, 3.5). */
export const oauthError: ErrorForm = (problem) => outcomeOf(problem, JSON.stringify(errorOf(problem)));

/** The same, or a page where Accept prefers one. */
export const oauthErrorOrPage: ErrorForm = (problem, exchange, ctx) =>
  ctx.problemPages(problem, oauthError(problem, exchange, ctx), exchange, 'problem');

function errorOf({ code, status, message }: Problem) {
  const error = code === 'rate_limited' ? 'slow_down' : status >= 500 ? 'server_error' : 'invalid_request';
  return { error, error_description: message };
}

function outcomeOf({ status, code, occurrence }: Problem, body: string) {
  const headers = {
    'Cache-Control': 'no-store',
    'Content-Type': JSON_TYPE,
    'Content-Length': String(Buffer.byteLength(body)),
    ...occurrence.headers,
  };
  return { status, headers, body, code };
}
