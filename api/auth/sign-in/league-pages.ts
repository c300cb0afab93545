import { readableDay } from '../../../config/units.ts';
import {
  LEAGUE_VISIBILITIES,
  LeagueChange,
  LeagueRequest,
  type LeagueVisibility,
  MAX_DISPLAY_NAME_LENGTH,
  PROBLEMS,
} from '../../../engine/contract/index.ts';
import { type Html, html } from '../../html.ts';
import { Problem } from '../../http/problem.ts';
import { parseBody } from '../../http/validation-items.ts';
import {
  changeLeague,
  codenamesIn,
  done,
  endMembership,
  leagueBody,
  leagueUnknown,
  makeLeague,
  openLeague,
  SEEN_BY,
} from '../../members/leagues.ts';
import { ownerOrSignIn } from './case-refusals.ts';
import { button, codeBlock, foldedForm, form, row } from './forms.ts';
import type { Visit } from './visit.ts';

type LeagueView = Awaited<ReturnType<typeof leagueBody>>;

/** A page for the signed-in operator. */
export function leaguePage(answer: (visit: Visit, operator: number, codename: string) => Promise<void>) {
  return async (visit: Visit): Promise<void> => {
    const { account, record } = await ownerOrSignIn(visit);
    await refusable(visit, () => answer(visit, account.operator, record.codename));
  };
}

/** Shows what the operations of leagues refuse as a page with the reason. */
export async function refusable<T>(visit: Visit, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    const { title, hint } = PROBLEMS[error.code];
    return visit.problem(error.status, title, `${error.message} ${hint}`);
  }
}

/** `GET /account/leagues`: the operator's leagues, and a form to make one. */
export const showLeagues = leaguePage(async (visit, operator) => {
  const { accounts, paths } = visit;
  const found = await accounts.leagues.ofMember(operator);
  const rows = await Promise.all(
    found.map(async (league) => {
      const shown = await leagueBody(visit, league, operator);
      const what = `${membersText(shown.size)}, seen by ${SEEN_BY[shown.visibility]}${shown.role === 'owner' ? ', yours' : ''}`;
      const links = html`<span><a href="${boardOf(visit, shown)}" aria-label="Board of ${shown.name}">Board</a><br><a href="${leagueAddress(visit, shown)}" aria-label="Manage ${shown.name}">${shown.role === 'owner' ? 'Manage' : 'Open'}</a></span>`;
      return row(shown.name, what, links);
    }),
  );
  const fields = html`${nameField('')}
${visibilityField(LEAGUE_VISIBILITIES.toReversed())}
${button('Make the league', 'main')}`;
  const body = html`<p>A league is a board of your own: your team, your friends, your company. Its members are ranked among themselves.</p>
${rows.length === 0 ? html`<p>You are in no league yet.</p>` : html`<ul class="rows">${rows}</ul>`}
<h2>Make a league</h2>
${form(visit, paths.leagues, {}, fields)}
<p class="soft">You get a link to send to others. It shows who will see what, with a button to join: only those who press it become members. Who sees it can be narrowed later, and not widened.</p>
<p><a href="${paths.account}">Back to your account</a></p>`;
  visit.page('Your leagues', body);
});

/** `POST /account/leagues`: makes a league. */
export const makeLeagueByForm = leaguePage(async (visit, operator) => {
  visit.redirect(leagueAddress(visit, await makeLeague(visit, operator, parseBody(fieldsOf(visit), LeagueRequest))));
});

/** `GET /account/league?league=SLUG`: its members, how to leave it, and for its owner everything that can be changed. */
export const showLeague = leaguePage(async (visit, operator, own) => {
  const league = await openLeague(visit, visit.query.get('league') ?? '', operator);
  const shown = await leagueBody(visit, league, operator);
  const { slug, owner, visibility, role } = shown;
  const board = html`<p><a href="${boardOf(visit, shown)}">Its board</a>, seen by ${SEEN_BY[visibility]}.</p>`;
  const about = html`<p>${membersText(shown.size)}. ${owner === null ? (role === null ? 'Its owner is not shown.' : 'It has no owner at present.') : html`Its owner is <strong>${role === 'owner' ? 'you' : owner}</strong>.`}</p>`;
  if (role === null) return visit.page(shown.name, html`${about}${board}${reportForm(visit, shown)}`);
  const codenames = await codenamesIn(visit, league);
  const rows = codenames.map((codename) => {
    if (role !== 'owner' || codename === owner) return row(codename, codename === owner ? 'owner' : null);
    return row(
      codename,
      null,
      act(visit, slug, { member: codename, stay: 'yes' }, button('Remove', 'small', codename)),
    );
  });
  const body = html`${about}${board}
${offerNote(visit, own, shown)}
${role === 'owner' ? invitation(visit, shown) : null}
<h2>Members</h2>
<ul class="rows">${rows}</ul>
${role === 'owner' ? html`<p class="soft">A member whom you remove cannot come back with this invitation.</p>\n${ownersForms(visit, shown)}` : memberForms(visit, own, shown)}
<p><a href="${visit.paths.leagues}">Your leagues</a></p>`;
  visit.page(shown.name, body);
});

function offerNote(visit: Visit, own: string, { slug, offered_until, successor, name }: LeagueView): Html {
  const offer =
    offered_until === undefined
      ? null
      : html`<p>The account of its owner is deleted. The oldest member who accepts until ${readableDay(Date.parse(offered_until))} becomes the owner; without one, the league ends.</p>\n${act(visit, slug, { owner: own }, button('Accept to own it', 'main'))}`;
  const wider =
    successor === undefined
      ? null
      : html`<p>Its owner made a wider league of this name. Members of this one are not in it: <a href="${invitationOf(visit, successor.slug, successor.code)}">see who will see what in the new ${name}</a>.</p>`;
  return html`${offer}${wider}`;
}

function invitation(visit: Visit, { slug, code }: LeagueView): Html {
  const replace = act(visit, slug, { code: 'replace' }, button('Replace it with a new one'));
  if (code === null || code === undefined) {
    return html`<h2>Invite</h2>
<p>The invitation is ended: no new members can join.</p>
${act(visit, slug, { code: 'replace' }, button('Make a new invitation', 'main'))}`;
  }
  return html`<h2>Invite</h2>
<p>Send this link to those who should join:</p>
${codeBlock(new URL(invitationOf(visit, slug, code), visit.loginUrl).href, 'The invitation')}
<p class="soft">Anybody who has it can join. In a terminal:</p>
${codeBlock(`upsilon league join ${slug} ${code}`, 'Command: join')}
<details><summary>Replace or end the invitation</summary>
<p class="soft">The present link stops working at once. Members stay.</p>
${replace}
${act(visit, slug, { code: 'end' }, button('End it: no new members can join'))}
</details>`;
}

function ownersForms(visit: Visit, { slug, name, visibility }: LeagueView): Html {
  const others = LEAGUE_VISIBILITIES.filter((each) => each !== visibility).toReversed();
  const seen = html`<p class="soft">Narrower takes effect at once, and a public league gets another address. Wider makes a new, empty league, because members joined this one: they see a link to it here.</p>
${act(visit, slug, {}, html`${visibilityField(others)}\n${button('Change who sees it')}`)}`;
  const heir = html`<label for="codename">Codename of the member who becomes the owner</label>
<input id="codename" name="owner" type="text" autocomplete="off" autocapitalize="none" spellcheck="false" required maxlength="32">
${button('Hand it over')}`;
  const season = html`<label for="from">First day (UTC), after today</label>
<input id="from" name="from" type="date" required>
<label for="days">Days, 7 to 40</label>
<input id="days" name="days" type="number" min="7" max="40" value="14" required>
${button('Announce it')}`;
  return html`<h2>Change it</h2>
${foldedForm('Make a season', false, html`<p class="soft">Its members are ranked by what arrives on these days; nothing imported counts. At the end the board stays as it is. There is one at a time; a new one takes the place of one that has not begun.</p>\n${act(visit, slug, {}, season)}`)}
${foldedForm('Rename', false, act(visit, slug, {}, html`${nameField(name)}\n${button('Rename')}`))}
${foldedForm('Who sees it', false, seen)}
${foldedForm('Hand it over', false, html`<p class="soft">You stay a member, and can leave then.</p>\n${act(visit, slug, {}, heir)}`)}
${foldedForm('Delete the league', false, html`<p class="soft">Its board and its invitation are gone at once. Nothing of its members changes. It cannot be undone.</p>\n${act(visit, slug, { end: 'league' }, button('Confirm: delete the league', 'danger'))}`)}`;
}

function memberForms(visit: Visit, own: string, shown: LeagueView): Html {
  return html`<h2>Leave</h2>
<p class="soft">You are gone from its board at once. To come back, you need an invitation.</p>
${act(visit, shown.slug, { member: own }, button('Leave the league', 'danger'))}
${reportForm(visit, shown)}`;
}

/** Of a public league, which everybody sees. */
function reportForm(visit: Visit, { slug, visibility }: LeagueView): Html | null {
  if (visibility !== 'public') return null;
  const about = html`<p>For a name that is offensive, advertises, or pretends to be of somebody else.</p>`;
  return foldedForm(
    'Report this league',
    false,
    html`${about}\n${act(visit, slug, { report: 'yes' }, button('Report'))}`,
  );
}

export function nameField(value: string, id = 'name'): Html {
  return html`<label for="${id}">Name</label>
<input id="${id}" name="name" type="text" value="${value}" autocomplete="off" required maxlength="${MAX_DISPLAY_NAME_LENGTH}">`;
}

function visibilityField(offered: readonly LeagueVisibility[]): Html {
  return html`<label for="visibility">Who sees it</label>
<select id="visibility" name="visibility" required>${offered.map((each) => html`<option value="${each}">${each}: ${SEEN_BY[each]}</option>`)}</select>`;
}

/** A form that does something to a league. */
function act(visit: Visit, league: string, does: Readonly<Record<string, string>>, content: Html): Html {
  return form(visit, visit.paths.league, { league, ...does }, content);
}

/** `POST /account/league`: what the form has decides what is done. */
export const changeLeagueByForm = leaguePage(async (visit, operator) => {
  const { form: fields, paths } = visit;
  const given = fieldsOf(visit);
  const { league: slug = '', member } = given;
  if (fields.has('report')) return report(visit, operator, slug);
  if (fields.has('end')) await done(() => visit.accounts.leagues.delete(operator, slug));
  else if (member !== undefined) await endMembership(visit, operator, slug, member);
  else {
    const { from, days } = given;
    const change = days === undefined ? given : { season: { from, days: Number(days) } };
    const league = await changeLeague(visit, operator, slug, parseBody(change, LeagueChange));
    return visit.redirect(leagueAddress(visit, league));
  }
  visit.redirect(fields.has('stay') ? leagueAddress(visit, { slug }) : paths.leagues);
});

async function report(visit: Visit, operator: number, slug: string): Promise<void> {
  if (!(await visit.accounts.leagues.report(operator, slug))) throw leagueUnknown();
  visit.page(
    'Thank you',
    html`<p>A moderator will look at this league. <a href="${visit.paths.leagues}">Your leagues</a></p>`,
  );
}

/** The fields of a form, as the API takes them. */
export const fieldsOf = ({ form: fields }: Visit) => Object.fromEntries(fields);

export function membersText(size: number): string {
  return size === 1 ? '1 member' : `${size} members`;
}

/** The address of a league's page for its members. */
export function leagueAddress({ paths }: Visit, { slug }: { readonly slug: string }): string {
  return `${paths.league}?${new URLSearchParams({ league: slug }).toString()}`;
}

/** The address of an invitation, below the host. */
export function invitationOf({ paths }: Visit, league: string, code: string): string {
  return `${paths.joinLeague}?${new URLSearchParams({ league, code }).toString()}`;
}

/** The address of its board: of a private one on the host that has the session. */
function boardOf({ paths, siteUrl }: Visit, { slug, visibility }: LeagueView): string {
  return visibility === 'private' ? `${paths.leagues}/${slug}` : `${siteUrl}/league/${slug}`;
}
