import { readableDay } from '../../../config/units.ts';
import { readLetter } from '../../../engine/letters/index.ts';
import type { OperatorRecord } from '../../../engine/ranking/index.ts';
import { type Html, html } from '../../html.ts';
import { showDone } from './account-done.ts';
import { button, form } from './forms.ts';
import type { Visit } from './visit.ts';

/** A form to switch weekly letters on or off, and what the next would say; nothing where no mail is sent. */
export async function letterSection(visit: Visit, { operator, codename }: OperatorRecord): Promise<Html | null> {
  const { accounts, board, mailer, paths, siteUrl } = visit;
  if (mailer === null) return null;
  const [letters, addresses, next] = await Promise.all([
    accounts.letters.of(operator),
    accounts.identities.addressesOf(operator),
    readLetter(board, codename, siteUrl),
  ]);
  const on =
    letters &&
    html`<p>Each week to <strong>${letters.address}</strong>, next on ${readableDay(letters.due_at.getTime())}.</p>
${form(visit, paths.letters, {}, button('Switch off'))}`;
  const offer = html`<label for="letter-address">Mail me a letter about my rank each week, to</label>
<select id="letter-address" name="address">${addresses.map((address) => html`<option>${address}</option>`)}</select>
${button('Switch on')}`;
  const none = html`<p>None of your ways to sign in has a verified address for it.</p>`;
  const words = next && [next.subject, ...next.paragraphs].map((paragraph) => html`<p>${paragraph}</p>`);
  return html`${on ?? (addresses.length === 0 ? none : form(visit, paths.letters, {}, offer))}
${words && html`<details><summary>What it would say today</summary>${words}</details>`}
<p class="soft">Off until you switch it on, without pictures and tracking. None is sent while you are on no board, or while a finding keeps you from a number.</p>`;
}

/** `POST /account/letters`: on, to an address; without one, off. */
export async function setLetters({ session, accounts, form: fields, paths, ...visit }: Visit): Promise<void> {
  if (session === null) return visit.redirect(paths.login);
  const address = fields.get('address');
  if (address === null) await accounts.letters.switchOff({ _id: session.operator });
  else if (!(await accounts.letters.switchOn(session.operator, address))) {
    return visit.problem(400, 'Nothing was changed', 'None of your ways to sign in has verified this address.');
  }
  showDone({ paths, redirect: visit.redirect }, address === null ? 'letters_off' : 'letters_on');
}

/** `GET /account/letters/end`: changes nothing, because mail scanners also open links. */
export function showLettersEnd(visit: Visit): void {
  const action = `${visit.paths.endLetters}?${new URLSearchParams({ token: visit.query.get('token') ?? '' }).toString()}`;
  visit.page('End the weekly letters', form(visit, action, {}, button('No more letters', 'main')));
}

/** `POST /account/letters/end`: by the token of a letter's link; mail programs send it as well (RFC 8058). */
export async function endLetters({ accounts, query, paths, page }: Visit): Promise<void> {
  const isEnded = await accounts.letters.switchOffBy(query.get('token') ?? '');
  const why = isEnded ? 'They are off.' : 'They are off already, or this link is older than those of the last letters.';
  const body = html`<p>${why} See <a href="${paths.account}#letters">your account</a>.</p>`;
  page(isEnded ? 'No more weekly letters' : 'Nothing to end', body);
}
