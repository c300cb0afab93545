import type { SignInProvider } from '../types.ts';

/** The name under which an identity is stored. */
export function identityKey(provider: SignInProvider, subject: string): string {
  return `${provider}:${subject}`;
}
