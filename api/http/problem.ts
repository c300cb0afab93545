import { randomUUID } from 'node:crypto';
import {
  PROBLEMS,
  type ProblemBody,
  type ProblemCode,
  type ProblemDefinition,
  type ProblemItemBody,
} from '../../engine/contract/index.ts';
import type { Exchange, Outcome } from './exchange.ts';

/** What an occurrence of a problem adds to its code. */
export interface ProblemOccurrence {
  readonly detail?: string;
  readonly hint?: string;
  readonly errors?: readonly ProblemItemBody[];
  readonly links?: Readonly<Record<string, string>>;
  /** Extension members of this kind of problem (RFC 9457, 3.2), besides the usual ones. */
  readonly extensions?: Readonly<Record<string, unknown>>;
  /** Headers of the response besides the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The underlying error: logged, never sent. */
  readonly cause?: unknown;
}

/** A request that ends in a problem. Thrown anywhere below the adapter; its `code` determines the status. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly occurrence: ProblemOccurrence;

  constructor(code: ProblemCode, occurrence: ProblemOccurrence = {}) {
    const { stackTraceLimit } = Error;
    // What a client did wrong has no place in the code, so it gets no stack.
    if (PROBLEMS[code].status < 500) Error.stackTraceLimit = 0;
    super(occurrence.detail ?? PROBLEMS[code].title, { cause: occurrence.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.occurrence = occurrence;
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }
}

/** The hint of a problem that only the people who run the service can solve, with their contact where it is set. */
export function askOperators(code: ProblemCode, contact: string | null): string {
  const { hint } = PROBLEMS[code];
  return contact === null ? hint : `${hint.slice(0, -1)}: ${contact.replace(/^(?:mailto|tel):/, '')}`;
}

/** The problem an error is: itself, or the unexpected one with the error as its cause. */
export function asProblem(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem('internal_error', { cause: error });
}

/** A problem that lists all errors of a request, with the code of the first. */
export function validationProblem(
  items: readonly [ProblemItemBody & { code: ProblemCode }, ...ProblemItemBody[]],
): Problem {
  const [first] = items;
  const more = items.length - 1;
  const detail = more === 0 ? first.detail : `${first.detail.replace(/\.$/, '')} (and ${more} more).`;
  return new Problem(first.code, { detail, errors: items });
}

/** The RFC 9457 body of a problem. */
export function problemBody(problem: Problem, siteUrl: string, instance: string = newInstance()): ProblemBody {
  const definition: ProblemDefinition = PROBLEMS[problem.code];
  const { detail, hint = definition.hint, errors, links } = problem.occurrence;
  return {
    type: problemTypeUrl(siteUrl, problem.code),
    title: definition.title,
    status: definition.status,
    detail: detail ?? `${definition.title}.`,
    instance,
    code: problem.code,
    hint,
    ...(errors === undefined ? {} : { errors: [...errors] }),
    ...(links === undefined ? {} : { links: { ...links } }),
  };
}

/** The response to a problem. `instance` identifies the occurrence, also in the log. */
export function problemOutcome(
  problem: Problem,
  exchange: Pick<Exchange, 'method'>,
  siteUrl: string,
  instance: string = newInstance(),
): Outcome {
  const body = problemBody(problem, siteUrl, instance);
  const text = JSON.stringify({ ...problem.occurrence.extensions, ...body });
  return {
    status: problem.status,
    headers: {
      'Cache-Control': 'no-store',
      'Content-Type': 'application/problem+json; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(text)),
      ...problem.occurrence.headers,
    },
    body: exchange.method === 'HEAD' ? null : text,
    code: problem.code,
  };
}

/** The address of a code's page. */
export function problemTypeUrl(siteUrl: string, code: ProblemCode): string {
  return `${siteUrl}/developers/errors/${code}`;
}

/** The part of a problem that is new in each response. */
export const INSTANCE = /urn:uuid:[0-9a-f-]{36}/;

export function newInstance(): string {
  return `urn:uuid:${randomUUID()}`;
}

/** Runs a read or write of a store. @throws Problem storage_unavailable for every error that is not a Problem. */
export async function fromStorage<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem('storage_unavailable', { cause });
  }
}
