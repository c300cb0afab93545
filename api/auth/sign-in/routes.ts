import { problemOrPage } from '../../http/error-forms.ts';
import type { HttpContext } from '../../http/http-context.ts';
import { FORM_BODY, type Route, routesFor, WRITTEN, WRITTEN_ROUTE } from '../../http/route.ts';
import {
  eraseAccount,
  exportAccount,
  hideRow,
  nameAccount,
  openRow,
  renameAccount,
  revokeDevice,
  showAccount,
  signOut,
  signOutEverywhere,
} from './account-page.ts';
import { endApp } from './app-section.ts';
import { signInWithoutProof } from './complete-sign-in.ts';
import { answerConsent, showConsent } from './consent-page.ts';
import type { SignInContext } from './context.ts';
import { mailLink, showLink, showOutbox, useLink } from './email-link.ts';
import { removeAddress, unlinkIdentity } from './identity-section.ts';
import { answerCase, appealCase } from './integrity-section.ts';
import { joinLeague, showInvitation } from './invitation-page.ts';
import { changeLeagueByForm, makeLeagueByForm, showLeague, showLeagues } from './league-pages.ts';
import { endLetters, setLetters, showLettersEnd } from './letter-section.ts';
import { showLogin } from './login-page.ts';
import { decideCase, decideLeague, openReview, showCase, showQueue } from './moderation-pages.ts';
import { PATHS } from './paths.ts';
import { leaveForPortal, showPlan, showSubscribed, subscribe } from './plan-pages.ts';
import { sendReport, showReport } from './report-page.ts';
import { answerSession } from './session-answer.ts';
import { makeToken } from './token-section.ts';
import { leaveForUpstream, returnFromUpstream } from './upstream-pages.ts';
import { AnsweredError, allowsDevelopment, isOwnForm, openVisit, type Visit } from './visit.ts';

const defineRoute = routesFor<HttpContext>();

interface PageOptions {
  /** `signInPages` for pages and `signIn` for forms, unless given. */
  readonly limit?: NonNullable<Route<never>['limit']>;
  /** The page exists only for requests that may use development sign-in. */
  readonly development?: boolean;
  /** Takes forms of mail programs as well: a token in the query entitles to it, and no cookie does. */
  readonly fromAnywhere?: boolean;
}

/** Makes routes of pages at paths below `login_url`. A form is accepted only from a page of this service (`isOwnForm`). */
function pagesBy(context: SignInContext, method: 'get' | 'post') {
  const usual = method === 'get' ? 'signInPages' : 'signIn';
  return (
    path: string,
    operationId: string,
    answer: (visit: Visit) => Promise<void> | void,
    { limit = usual, development = false, fromAnywhere = false }: PageOptions = {},
  ): Route<HttpContext> =>
    defineRoute({
      ...WRITTEN_ROUTE,
      method,
      surface: 'login',
      path,
      operationId,
      page: true,
      errors: problemOrPage,
      limit,
      ...(method === 'post' ? { body: FORM_BODY } : {}),
      exists: (koa) => !development || allowsDevelopment(context, koa),
      async handle({ body }, { ctx: { limiter }, koa, client }) {
        const visit = await openVisit(context, koa, { form: body ?? null, client, limiter });
        try {
          if (method === 'get' || fromAnywhere || isOwnForm(visit)) await answer(visit);
          else visit.problem(403, 'This form has expired', EXPIRED);
        } catch (error) {
          if (!(error instanceof AnsweredError)) throw error;
        }
        return WRITTEN;
      },
    });
}

const EXPIRED =
  'Nothing was changed. Open the page again and submit the form once more. Cookies must be enabled for this site.';

/** The pages of an installation: ways to sign in that are not configured have none. */
export function signInRoutes(context: SignInContext): readonly Route<HttpContext>[] {
  const { upstreams, mailer, signIn } = context;
  const [get, post] = [pagesBy(context, 'get'), pagesBy(context, 'post')];
  const outbox = mailer?.outbox ?? null;
  return [
    get(PATHS.login, 'login', showLogin),
    get(PATHS.consent, 'loginConsent', showConsent),
    post(PATHS.consent, 'answerConsent', answerConsent),
    get(PATHS.account, 'account', showAccount),
    get(PATHS.plan, 'plan', showPlan),
    post(PATHS.subscribe, 'subscribe', subscribe),
    get(PATHS.subscribed, 'subscribed', showSubscribed, { limit: 'signIn' }),
    get(PATHS.portal, 'portal', leaveForPortal, { limit: 'signIn' }),
    post(PATHS.unlink, 'unlinkIdentity', unlinkIdentity),
    post(PATHS.removeAddress, 'removeAddress', removeAddress),
    post(PATHS.signOut, 'signOut', signOut),
    post(PATHS.signOutEverywhere, 'signOutEverywhere', signOutEverywhere),
    post(PATHS.rename, 'renameAccount', renameAccount),
    post(PATHS.displayName, 'setDisplayName', nameAccount),
    post(PATHS.hide, 'hideRow', hideRow),
    post(PATHS.letters, 'setLetters', setLetters),
    get(PATHS.endLetters, 'showLettersEnd', showLettersEnd),
    post(PATHS.endLetters, 'endLetters', endLetters, { limit: 'signInPages', fromAnywhere: true }),
    post(PATHS.open, 'openRow', openRow),
    post(PATHS.endApp, 'endAppByForm', endApp),
    post(PATHS.revokeDevice, 'revokeDeviceByForm', revokeDevice),
    post(PATHS.makeToken, 'makeToken', makeToken),
    post(PATHS.export, 'exportAccount', exportAccount, { limit: 'export' }),
    post(PATHS.answer, 'answerCase', answerCase),
    post(PATHS.appeal, 'appealCase', appealCase),
    get(PATHS.report, 'showReport', showReport),
    post(PATHS.report, 'sendReport', sendReport),
    get(PATHS.leagues, 'leaguesOfAccount', showLeagues),
    post(PATHS.leagues, 'makeLeagueByForm', makeLeagueByForm),
    get(PATHS.league, 'leagueOfAccount', showLeague),
    post(PATHS.league, 'changeLeagueByForm', changeLeagueByForm),
    get(PATHS.joinLeague, 'invitationToLeague', showInvitation, { limit: 'signIn' }),
    post(PATHS.joinLeague, 'joinLeagueByForm', joinLeague),
    get(PATHS.moderation, 'moderation', showQueue),
    get(PATHS.moderationCase, 'moderationCase', showCase),
    post(PATHS.openReview, 'openReview', openReview),
    post(PATHS.decide, 'decideCase', decideCase),
    post(PATHS.decideLeague, 'decideLeague', decideLeague),
    post(PATHS.erase, 'eraseAccount', eraseAccount),
    get(PATHS.session, 'getSession', answerSession),
    get(PATHS.callback, 'authCallback', returnFromUpstream, { limit: 'signIn' }),
    ...upstreams.map((upstream) =>
      post(`/login/${upstream.name}`, `login_${upstream.name}`, (visit) => leaveForUpstream(visit, upstream)),
    ),
    ...(mailer === null
      ? []
      : [
          post(PATHS.email, 'mailLink', mailLink),
          get(PATHS.link, 'showLink', showLink, { limit: 'signIn' }),
          post(PATHS.link, 'useLink', useLink),
        ]),
    ...(outbox === null || signIn.development === 'off'
      ? []
      : [get(PATHS.outbox, 'outbox', (visit) => showOutbox(visit, outbox), { development: true })]),
    ...(signIn.development === 'off'
      ? []
      : [post(PATHS.development, 'developmentSignIn', signInWithoutProof, { development: true })]),
  ];
}
