import * as oidc from 'openid-client';
import type { FormBrowser, VisitedPage } from './form-browser.ts';

/** A third-party app on openid-client that knows only the service's address and the client's id. */
export interface OAuthApp {
  readonly configuration: oidc.Configuration;
  readonly redirectUri: string;
}

export const ALL_SCOPES = 'openid profile email offline_access';

export async function openApp(authUrl: string, clientId = 'upsilon-cli'): Promise<OAuthApp> {
  const configuration = await oidc.discovery(new URL(authUrl), clientId, undefined, oidc.None(), {
    execute: [oidc.allowInsecureRequests],
  });
  return { configuration, redirectUri: 'http://127.0.0.1:49152/callback' };
}

/** One authorization request, from the app's side. */
export interface AppRequest {
  readonly url: string;
  readonly finish: (callback: string) => Promise<oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers>;
}

export async function beginRequest(
  { configuration, redirectUri }: OAuthApp,
  parameters: Record<string, string> = {},
): Promise<AppRequest> {
  const verifier = oidc.randomPKCECodeVerifier();
  const state = oidc.randomState();
  const nonce = oidc.randomNonce();
  const url = oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: ALL_SCOPES,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...parameters,
  });
  return {
    url: url.href,
    finish: (callback) =>
      oidc.authorizationCodeGrant(configuration, new URL(callback), {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      }),
  };
}

/** Signs in as somebody by development sign-in when asked to, and grants the app's request; returns the final address. */
export async function signInAndAllow(browser: FormBrowser, start: string, name: string): Promise<VisitedPage> {
  let page = await browser.get(start);
  if (new URL(page.url).pathname === '/login') page = await browser.submit(page, '/login/development', { name });
  return browser.submit(page, '/login/consent', { answer: 'allow' });
}

/** The complete authorization code flow of an app. */
export async function connectApp(
  app: OAuthApp,
  browser: FormBrowser,
  name: string,
  parameters: Record<string, string> = {},
) {
  browser.stops.push(app.redirectUri);
  const request = await beginRequest(app, parameters);
  const page = await signInAndAllow(browser, request.url, name);
  return request.finish(page.url);
}

/** The code of the error that a call to the authorization server ends with; `nothing` when it succeeds. */
export async function refusal(call: () => Promise<unknown>): Promise<string> {
  try {
    await call();
    return 'nothing';
  } catch (error) {
    if (error instanceof oidc.ResponseBodyError) return error.error;
    throw error;
  }
}
