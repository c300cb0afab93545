import { completeSignIn } from './complete-sign-in.ts';
import type { SignInContext } from './context.ts';
import { showProblem } from './problem-pages.ts';
import type { Visit } from './visit.ts';

const NAME = /^[a-z0-9-]{1,32}$/;

/** `POST /login/development`: signs in under any name, without proof. `allowsDevelopment` restricts it. */
export async function signInWithoutProof(context: SignInContext, visit: Visit): Promise<void> {
  const name = visit.form.get('name') ?? '';
  if (!NAME.test(name)) {
    return showProblem(visit, 400, 'That is not a valid name', 'Use 1 to 32 lower-case letters, digits and hyphens.');
  }
  const person = { provider: 'development', subject: name, label: name, verifiedEmail: null } as const;
  await completeSignIn(context, visit, person, { next: visit.form.get('next'), linkTo: null, knownAddress: 'ask' });
}
