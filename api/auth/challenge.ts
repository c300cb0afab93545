import type { Config } from '../../config/config.ts';
import type { ProblemCode } from '../../engine/contract/index.ts';
import { askOperators, Problem } from '../http/problem.ts';
import { REQUIRED_SCOPES } from './scopes.ts';

/** The codes with which a request that needs a token is refused. */
type TokenProblemCode = Exclude<Extract<ProblemCode, `token_${string}` | `account_${string}`>, 'token_in_query'>;

type ChallengeConfig = Pick<Config, 'baseUrl' | 'loginUrl' | 'contact'>;

/** Creates a 401 with a WWW-Authenticate header. */
export type Challenge = (code: TokenProblemCode, detail: string, cause?: unknown) => Problem;

/** Creates challenges for the realm `baseUrl`; `loginUrl` serves the protected resource's metadata (RFC 9728, 5.1). */
export function createChallenge({ baseUrl: realm, loginUrl, contact }: ChallengeConfig): Challenge {
  const metadata = `${loginUrl}/.well-known/oauth-protected-resource`;
  return (code, detail, cause) => {
    const headers = { 'WWW-Authenticate': `Bearer ${parameters(realm, code, detail, metadata).join(', ')}` };
    const hint = code === 'account_suspended' ? { hint: askOperators(code, contact) } : {};
    return new Problem(code, { detail, ...hint, headers, cause });
  };
}

/** The problem of a caller whose account was erased after its token was checked. */
export function accountUnknown(config: ChallengeConfig): Problem {
  return createChallenge(config)('account_unknown', 'The account of this token does not exist.');
}

function parameters(realm: string, code: TokenProblemCode, detail: string, metadata: string): string[] {
  const refusal = code === 'token_scope' ? 'insufficient_scope' : 'invalid_token';
  // RFC 6750, 3.1: no error code for a request without a token.
  const error = code === 'token_missing' ? [] : [quoted('error', refusal), quoted('error_description', detail)];
  const scope = quoted('scope', REQUIRED_SCOPES.join(' '));
  return [quoted('realm', realm), ...error, scope, quoted('resource_metadata', metadata)];
}

/** A parameter as a quoted string, without the characters that RFC 6750 forbids. */
function quoted(name: string, value: string): string {
  return `${name}="${value.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '')}"`;
}
