import { ProblemDetails } from '../../engine/contract/index.ts';
import type { Exchange, Outcome } from './exchange.ts';
import { newInstance, type Problem, problemBody } from './problem.ts';

/** The answer that tells a problem. `instance` is what the log calls the occurrence. */
export function problemOutcome(
  problem: Problem,
  exchange: Pick<Exchange, 'method'>,
  siteUrl: string,
  instance: string = newInstance(),
): Outcome {
  const body = ProblemDetails.parse(problemBody(problem, siteUrl, instance));
  const bytes = Buffer.from(JSON.stringify({ ...problem.occurrence.extensions, ...body }), 'utf8');
  return {
    status: problem.status,
    headers: {
      'Cache-Control': 'no-store',
      'Content-Type': 'application/problem+json; charset=utf-8',
      'Content-Length': String(bytes.length),
      ...problem.occurrence.headers,
    },
    body: exchange.method === 'HEAD' ? null : bytes,
    code: problem.code,
  };
}
