import type { Client, KoaContextWithOIDC } from 'oidc-provider';
import { type Html, html, trusted } from '../../html.ts';
import type { Frame } from '../page.ts';
import { describeApp } from './clients.ts';
import { prefilledUserCode } from './prepare-request.ts';

/** Asks for the code that a device shows. `form` is the provider's, with its hidden fields. */
export function sendInputPage(frame: Frame, ctx: KoaContextWithOIDC, form: string, error: Error | undefined): void {
  if (error !== undefined && forgetUnsavedSession(ctx)) return sendStartedElsewhere(frame, ctx);
  sendPage(
    frame,
    ctx,
    'Connect a device',
    html`${error === undefined ? null : html`<p class="bad" role="alert">${ERROR_TEXTS[error.name] ?? 'That did not work. Try again.'}</p>`}
<p class="soft">To sign in on a device without a browser, enter the eight-letter code that it shows.</p>
${inputForm(form, prefilledUserCode(ctx.req))}`,
  );
}

/** Asks whether the device of the app shows the entered code. */
export function sendConfirmPage(
  frame: Frame,
  ctx: KoaContextWithOIDC,
  form: string,
  { clientId, clientName }: Pick<Client, 'clientId' | 'clientName'>,
  userCode: string,
): void {
  sendPage(
    frame,
    ctx,
    'Does your device show this code?',
    html`<p class="code">${userCode}</p>
<p>The app <strong>${clientName ?? clientId}</strong> wants to act on your behalf. Continue only if you started this yourself and the device in front of you shows this code.</p>
<p class="soft">${describeApp(clientId, null)}</p>
${withButton(form, 'Yes, continue')}
${withButton(form.replace('name="confirm"', 'name="abort"'), 'Cancel', '')}`,
  );
}

export function sendSuccessPage(frame: Frame, ctx: KoaContextWithOIDC): void {
  sendPage(frame, ctx, 'Your device is connected', html`<p>You can close this page and continue on your device.</p>`);
}

function sendStartedElsewhere(frame: Frame, ctx: KoaContextWithOIDC): void {
  sendPage(
    frame,
    ctx,
    'Start again here',
    html`<p>This form has expired, or your browser blocks cookies for this site.</p>
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

/** The page for an authorization request that failed and cannot be redirected to its client. */
export function errorPage(
  frame: Frame,
  { error, error_description }: { error: string; error_description?: string | undefined },
  loginUrl: string,
): string {
  const body = html`<p>${error_description ?? error}</p>
<p class="soft">Go back to the app you came from and start again. Error code: <code>${error}</code></p>
<p><a href="${loginUrl}/login">Sign in to Upsilon</a></p>`;
  return frame({ title: 'This sign-in cannot continue', body });
}

function sendPage(frame: Frame, ctx: Pick<KoaContextWithOIDC, 'type' | 'body'>, title: string, body: Html): void {
  ctx.type = 'html';
  ctx.body = frame({ title, body });
}

const UNKNOWN_CODE = 'We do not recognise that code. Check it on your device.';

/** What went wrong, by the name of the provider's error. */
const ERROR_TEXTS: Readonly<Record<string, string>> = {
  NotFoundError: UNKNOWN_CODE,
  NoCodeError: UNKNOWN_CODE,
  ExpiredError: 'This code has expired. Start again on your device.',
  AlreadyUsedError: 'This code has already been used. Start again on your device.',
  AbortedError: 'Cancelled. Your device was not connected.',
};

function withButton(form: string, label: string, style = 'main'): Html {
  const button = html`<button class="${style}" type="submit">${label}</button></form>`;
  return trusted(form.replace(/ id="[^"]*"/, '').replace('</form>', String(button)));
}

/** The provider's hidden fields with a labelled input that needs no script. */
function inputForm(form: string, prefilled: string): Html {
  const action = /action="([^"]*)"/.exec(form)?.[1] ?? '';
  const xsrf = /name="xsrf" value="([^"]*)"/.exec(form)?.[1] ?? '';
  return html`<form method="post" action="${trusted(action)}"><input type="hidden" name="xsrf" value="${trusted(xsrf)}"><label for="user_code">Code shown on your device</label>
<input id="user_code" name="user_code" type="text" value="${prefilled}" autocomplete="off" autocapitalize="characters" spellcheck="false" required>
<button class="main" type="submit">Continue</button></form>`;
}
