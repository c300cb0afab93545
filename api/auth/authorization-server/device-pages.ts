import type { KoaContextWithOIDC } from 'oidc-provider';
import { Html, html } from '../pages/html.ts';
import { renderPage } from '../pages/page.ts';
import { prefilledUserCode } from './prepare-request.ts';

/** Where the device flow is: what its page shows. `form` is the provider's own, with its hidden fields. */
export type DevicePage =
  | { readonly step: 'input'; readonly form: string; readonly out?: unknown; readonly error?: Error | undefined }
  | { readonly step: 'confirm'; readonly form: string; readonly name: string; readonly userCode: string }
  | { readonly step: 'success' };

/** Answers one page of the device flow. */
export function sendDevicePage(ctx: KoaContextWithOIDC, page: DevicePage): void {
  ctx.type = 'html';
  const refused = page.step === 'input' && page.error !== undefined;
  const content =
    refused && forgetUnsavedSession(ctx) ? begunElsewhere(ctx) : contentOf(page, prefilledUserCode(ctx.req));
  ctx.body = renderPage(content);
}

function begunElsewhere({ oidc }: KoaContextWithOIDC) {
  return {
    title: 'Begin again here',
    body: html`<p>This browser did not send the cookie that belongs to the form: it may be too old, or cookies may be turned off.</p>
<p><a href="${oidc.urlFor('code_verification')}">Enter the code again</a></p>`,
  };
}

/**
 * A form that came without its cookie is refused before the provider keeps a session, and the provider would then fail at
 * renewing one that was never kept. Answers whether the session is such a one; it is left unkept.
 */
function forgetUnsavedSession({ oidc: { session } }: KoaContextWithOIDC): boolean {
  if (session === undefined || typeof session.exp === 'number') return false;
  Reflect.set(session, 'touched', false);
  return true;
}

/** The page of an authorization request that cannot go on and has nowhere to return to. */
export function errorPage(
  { error, error_description }: { error: string; error_description?: string | undefined },
  loginUrl: string,
) {
  return renderPage({
    title: 'This sign-in cannot go on',
    body: html`<p>${error_description ?? error}</p>
<p class="soft">Go back to the app you came from and start again. Error: <code>${error}</code></p>
<p><a href="${loginUrl}/login">Sign in to Upsilon</a></p>`,
  });
}

function contentOf(page: DevicePage, prefilled: string) {
  if (page.step === 'success') {
    return { title: 'The device is connected', body: html`<p>You can close this page and go on at the device.</p>` };
  }
  if (page.step === 'confirm') {
    return {
      title: 'Does the device show this code?',
      body: html`<p class="code">${page.userCode}</p>
<p><strong>${page.name}</strong> asks to act for you. Go on only if you started this yourself, on a device before you, and it shows this code.</p>
${new Html(withButton(page.form, 'Yes, go on'))}
${new Html(withButton(page.form.replace('name="confirm"', 'name="abort"'), 'No, stop', ''))}`,
    };
  }
  return {
    title: 'Connect a device',
    body: html`${page.error === undefined ? null : html`<p class="bad" role="alert">${throttledLogOf(page.error)}</p>`}
<p class="soft">A device without a browser shows a code of eight letters when it asks to sign in.</p>
${new Html(inputForm(page.form, prefilled))}`,
  };
}

function throttledLogOf(error: Error): string {
  switch (error.name) {
    case 'NotFoundError':
    case 'NoCodeError':
      return 'There is no such code. Look at the device again.';
    case 'ExpiredError':
      return 'This code is too old. Start again at the device.';
    case 'AlreadyUsedError':
      return 'This code was used before. Start again at the device.';
    case 'AbortedError':
      return 'Stopped. The device was not connected.';
    default:
      return 'That did not work. Try again.';
  }
}

function withButton(form: string, label: string, style = 'main'): string {
  return form
    .replace(/ id="[^"]*"/, '')
    .replace('</form>', html`<button class="${style}" type="submit">${label}</button></form>`.text);
}

/** The provider's hidden fields with an input of ours: labelled, and without a script. */
function inputForm(form: string, prefilled: string): string {
  const action = /action="([^"]*)"/.exec(form)?.[1] ?? '';
  const xsrf = /name="xsrf" value="([^"]*)"/.exec(form)?.[1] ?? '';
  return `<form method="post" action="${action}"><input type="hidden" name="xsrf" value="${xsrf}">${
    html`<label for="user_code">Code that the device shows</label>
<input id="user_code" name="user_code" type="text" value="${prefilled}" autocomplete="off" autocapitalize="characters" spellcheck="false" required>
<button class="main" type="submit">Go on</button>`.text
  }</form>`;
}
