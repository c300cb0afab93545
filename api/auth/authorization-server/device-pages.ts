import type { KoaContextWithOIDC } from 'oidc-provider';
import { type Html, html, trusted } from '../../html.ts';
import { renderPage } from '../page.ts';
import { prefilledUserCode } from './prepare-request.ts';

/** A step of the device flow. `form` is the provider's form with its hidden fields. */
export type DevicePage =
  | { readonly step: 'input'; readonly form: string; readonly out?: unknown; readonly error?: Error | undefined }
  | { readonly step: 'confirm'; readonly form: string; readonly name: string; readonly userCode: string }
  | { readonly step: 'success' };

/** Renders one page of the device flow. */
export function sendDevicePage(ctx: KoaContextWithOIDC, page: DevicePage): void {
  ctx.type = 'html';
  const refused = page.step === 'input' && page.error !== undefined;
  ctx.body = refused && forgetUnsavedSession(ctx) ? startedElsewhere(ctx) : stepPage(page, prefilledUserCode(ctx.req));
}

function startedElsewhere({ oidc }: KoaContextWithOIDC): string {
  return renderPage(
    'Start again here',
    html`<p>This browser did not send the cookie that belongs to the form: it may be too old, or cookies may be turned off.</p>
<p><a href="${oidc.urlFor('code_verification')}">Enter the code again</a></p>`,
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
  { error, error_description }: { error: string; error_description?: string | undefined },
  loginUrl: string,
) {
  return renderPage(
    'This sign-in cannot continue',
    html`<p>${error_description ?? error}</p>
<p class="soft">Go back to the app you came from and start again. Error: <code>${error}</code></p>
<p><a href="${loginUrl}/login">Sign in to Upsilon</a></p>`,
  );
}

function stepPage(page: DevicePage, prefilled: string): string {
  switch (page.step) {
    case 'success':
      return renderPage('The device is connected', html`<p>You can close this page and continue on the device.</p>`);
    case 'confirm':
      return renderPage(
        'Does the device show this code?',
        html`<p class="code">${page.userCode}</p>
<p><strong>${page.name}</strong> asks to act for you. Continue only if you started this yourself, on a device in front of you, and it shows this code.</p>
${withButton(page.form, 'Yes, continue')}
${withButton(page.form.replace('name="confirm"', 'name="abort"'), 'No, stop', '')}`,
      );
    case 'input':
      return renderPage(
        'Connect a device',
        html`${page.error === undefined ? null : html`<p class="bad" role="alert">${ERROR_TEXTS[page.error.name] ?? 'That did not work. Try again.'}</p>`}
<p class="soft">A device without a browser shows a code of eight letters when it asks to sign in.</p>
${inputForm(page.form, prefilled)}`,
      );
  }
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
