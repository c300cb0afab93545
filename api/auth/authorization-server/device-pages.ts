import type { KoaContextWithOIDC } from 'oidc-provider';
import { type Html, html, trusted } from '../../html.ts';
import { renderPage } from '../page.ts';
import { prefilledUserCode } from './prepare-request.ts';

/** Asks for the code that a device shows. `form` is the provider's, with its hidden fields. */
export function sendInputPage(ctx: KoaContextWithOIDC, form: string, error: Error | undefined): void {
  if (error !== undefined && forgetUnsavedSession(ctx)) return sendStartedElsewhere(ctx);
  sendPage(
    ctx,
    'Connect a device',
    html`${error === undefined ? null : html`<p class="bad" role="alert">${ERROR_TEXTS[error.name] ?? 'That did not work. Try again.'}</p>`}
<p class="soft">A device without a browser shows a code of eight letters when it asks to sign in.</p>
${inputForm(form, prefilledUserCode(ctx.req))}`,
  );
}

/** Asks whether the device of the app `name` shows the entered code. */
export function sendConfirmPage(ctx: KoaContextWithOIDC, form: string, name: string, userCode: string): void {
  sendPage(
    ctx,
    'Does the device show this code?',
    html`<p class="code">${userCode}</p>
<p><strong>${name}</strong> asks to act for you. Continue only if you started this yourself, on a device in front of you, and it shows this code.</p>
${withButton(form, 'Yes, continue')}
${withButton(form.replace('name="confirm"', 'name="abort"'), 'No, stop', '')}`,
  );
}

export function sendSuccessPage(ctx: KoaContextWithOIDC): void {
  sendPage(ctx, 'The device is connected', html`<p>You can close this page and continue on the device.</p>`);
}

function sendStartedElsewhere(ctx: KoaContextWithOIDC): void {
  sendPage(
    ctx,
    'Start again here',
    html`<p>This browser did not send the cookie that belongs to the form: it may be too old, or cookies may be turned off.</p>
<p><a href="${ctx.oidc.urlFor('code_verification')}">Enter the code again</a></p>`,
  );
}

/**
 * The provider refuses a form without its cookie before it stores a session, and would then fail when it renews the session that
 * was never stored. Returns whether the session is unsaved, and keeps the provider from renewing it.
 */
function forgetUnsavedSession({ oidc: { session } }: KoaContextWithOIDC): boolean {
  if (session === undefined || typeof session.exp === 'number') return false;
  Reflect.set(session, 'touched', false);
  return true;
}

/** Sends the page for an authorization request that failed and cannot be redirected to its client. */
export function sendErrorPage(
  ctx: PageContext,
  { error, error_description }: { error: string; error_description?: string | undefined },
  loginUrl: string,
): void {
  sendPage(
    ctx,
    'This sign-in cannot continue',
    html`<p>${error_description ?? error}</p>
<p class="soft">Go back to the app you came from and start again. Error: <code>${error}</code></p>
<p><a href="${loginUrl}/login">Sign in to Upsilon</a></p>`,
  );
}

type PageContext = Pick<KoaContextWithOIDC, 'type' | 'body'>;

function sendPage(ctx: PageContext, title: string, body: Html): void {
  ctx.type = 'html';
  ctx.body = renderPage(title, body);
}

/** What went wrong, by the name of the provider's error. */
const ERROR_TEXTS: Readonly<Record<string, string>> = {
  NotFoundError: 'There is no such code. Check the code on the device.',
  NoCodeError: 'There is no such code. Check the code on the device.',
  ExpiredError: 'This code has expired. Start again on the device.',
  AlreadyUsedError: 'This code was used before. Start again on the device.',
  AbortedError: 'Stopped. The device was not connected.',
};

function withButton(form: string, label: string, style = 'main'): Html {
  const button = html`<button class="${style}" type="submit">${label}</button></form>`;
  return trusted(form.replace(/ id="[^"]*"/, '').replace('</form>', String(button)));
}

/** The provider's hidden fields with a labelled input that needs no script. */
function inputForm(form: string, prefilled: string): Html {
  const action = /action="([^"]*)"/.exec(form)?.[1] ?? '';
  const xsrf = /name="xsrf" value="([^"]*)"/.exec(form)?.[1] ?? '';
  return html`<form method="post" action="${trusted(action)}"><input type="hidden" name="xsrf" value="${trusted(xsrf)}"><label for="user_code">Code that the device shows</label>
<input id="user_code" name="user_code" type="text" value="${prefilled}" autocomplete="off" autocapitalize="characters" spellcheck="false" required>
<button class="main" type="submit">Continue</button></form>`;
}
