import { answerSession } from '../session/session-answer.ts';
import { eraseAccount, showAccount, signOut, signOutEverywhere } from './account-page.ts';
import { renameAccount } from './codename-section.ts';
import { answerConsent, showConsent } from './consent-page.ts';
import type { SignInContext } from './context.ts';
import { signInWithoutProof } from './development-sign-in.ts';
import { revokeDevice } from './device-section.ts';
import { mailLink, showLink, useLink } from './email-link.ts';
import { exportAccount } from './export-page.ts';
import { removeAddress, unlinkIdentity } from './identity-section.ts';
import type { SignInQuota } from './limits.ts';
import { showLogin } from './login-page.ts';
import { showOutbox } from './outbox-page.ts';
import { PATHS } from './paths.ts';
import { leaveForPortal, showPlan, showSubscribed, subscribe } from './plan-pages.ts';
import { leaveForUpstream, returnFromUpstream } from './upstream-pages.ts';
import type { Visit } from './visit.ts';

/** One page of the login host. A form is accepted only from a page of this service (`isOwnForm`). */
export interface SignInPage {
  readonly method: 'GET' | 'POST';
  /** Below `login_url`. */
  readonly path: string;
  /** Its label in metrics. */
  readonly name: string;
  readonly quota: SignInQuota;
  /** Exists only for requests that may use development sign-in. */
  readonly development?: true;
  readonly answer: (context: SignInContext, visit: Visit) => Promise<void> | void;
}

/** The pages of this installation: ways to sign in that are not configured have none. */
export function pagesOf({ upstreams, mailer }: SignInContext): readonly SignInPage[] {
  const outbox = mailer?.outbox() ?? null;
  return [
    get(PATHS.login, 'login', showLogin),
    get(PATHS.consent, 'loginConsent', showConsent),
    post(PATHS.consent, 'answerConsent', answerConsent),
    get(PATHS.account, 'account', showAccount),
    get(PATHS.plan, 'plan', showPlan),
    post(PATHS.subscribe, 'subscribe', subscribe),
    get(PATHS.subscribed, 'subscribed', showSubscribed, 'sign_in'),
    get(PATHS.portal, 'portal', leaveForPortal, 'sign_in'),
    post(PATHS.unlink, 'unlinkIdentity', unlinkIdentity),
    post(PATHS.removeAddress, 'removeAddress', removeAddress),
    post(PATHS.signOut, 'signOut', signOut),
    post(PATHS.signOutEverywhere, 'signOutEverywhere', signOutEverywhere),
    post(PATHS.rename, 'renameAccount', renameAccount),
    post(PATHS.revokeDevice, 'revokeDeviceByForm', revokeDevice),
    post(PATHS.export, 'exportAccount', exportAccount, 'export'),
    post(PATHS.erase, 'eraseAccount', eraseAccount),
    get(PATHS.session, 'getSession', answerSession),
    get(PATHS.callback, 'authCallback', returnFromUpstream, 'sign_in'),
    ...upstreams.map((upstream) =>
      post(`/login/${upstream.name}`, `login_${upstream.name}`, (context, visit) =>
        leaveForUpstream(context, visit, upstream),
      ),
    ),
    ...(mailer === null
      ? []
      : [
          post(PATHS.email, 'mailLink', mailLink),
          get(PATHS.link, 'showLink', showLink, 'sign_in'),
          post(PATHS.link, 'useLink', useLink),
        ]),
    ...(outbox === null
      ? []
      : [forDevelopment(get(PATHS.outbox, 'outbox', (_context, visit) => showOutbox(visit, outbox)))]),
    forDevelopment(post(PATHS.development, 'developmentSignIn', signInWithoutProof)),
  ];
}

function forDevelopment(page: SignInPage): SignInPage {
  return { ...page, development: true };
}

function get(path: string, name: string, answer: SignInPage['answer'], quota: SignInQuota = 'pages'): SignInPage {
  return { method: 'GET', path, name, quota, answer };
}

function post(path: string, name: string, answer: SignInPage['answer'], quota: SignInQuota = 'sign_in'): SignInPage {
  return { method: 'POST', path, name, quota, answer };
}
