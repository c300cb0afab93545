import { expect } from 'chai';
import * as z from 'zod';
import { Problem } from '../../../api/http/problem.ts';
import { parseBody } from '../../../api/http/validation-items.ts';

function problemOf(value: unknown, schema: z.ZodType): Problem {
  try {
    parseBody(value, schema);
  } catch (error) {
    if (error instanceof Problem) return error;
  }
  throw new Error('the value was accepted');
}

describe('api: errors of a schema', () => {
  it('without a code of their own are validation_failed', () => {
    const problem = problemOf({ name: 7 }, z.object({ name: z.string() }));
    expect(problem.code).to.equal('validation_failed');
    expect(problem.occurrence.errors).to.deep.equal([
      { pointer: '/name', code: 'validation_failed', detail: 'The request is not valid: /name.' },
    ]);
  });

  it('are named by an RFC 6901 pointer', () => {
    const problem = problemOf(
      { 'a/b': { '~c': [1, 'x'] } },
      z.object({ 'a/b': z.object({ '~c': z.array(z.number()) }) }),
    );
    expect(problem.occurrence.errors?.[0]?.pointer).to.equal('/a~1b/~0c/1');
  });

  it('are listed up to a bound', () => {
    const problem = problemOf(
      Array.from({ length: 1_000 }, () => 'x'),
      z.array(z.number()),
    );
    expect(problem.occurrence.errors).to.have.length(20);
    expect(problem.occurrence.detail).to.equal('The request is not valid: /0 (and 19 more).');
  });
});
