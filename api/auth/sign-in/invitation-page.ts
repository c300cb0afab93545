import { html } from '../../html.ts';
import { done, leagueBody, openInvitation, SEEN_BY } from '../../members/leagues.ts';
import { button, form } from './forms.ts';
import { invitationOf, leagueAddress, leaguePage, membersText, refusable } from './league-pages.ts';
import { loginAddress, type Visit } from './visit.ts';

/** `GET /account/league/join?league=SLUG&code=CODE`: who will see what. Changes nothing, and needs no session. */
export async function showInvitation(visit: Visit): Promise<void> {
  const { query, session, paths } = visit;
  const [slug, code] = [query.get('league') ?? '', query.get('code') ?? ''];
  const league = await refusable(visit, () => openInvitation(visit, slug, code));
  const { name, owner, size, visibility, role } = await leagueBody(visit, league, session?.operator ?? null);
  if (role !== null) return visit.redirect(leagueAddress(visit, league));
  // A hidden owner is not shown in a public league; one who was erased is nowhere.
  const ownerText = owner === null ? 'whose owner is not shown,' : html`of <strong>${owner}</strong>`;
  const join =
    session === null
      ? html`<p><a href="${loginAddress(visit, invitationOf(visit, slug, code))}">Sign in to join</a>: you come back to this page first.</p>`
      : form(visit, paths.joinLeague, { league: slug, code }, button(`Join ${name}`, 'main'));
  const rest =
    visibility === 'public'
      ? 'If you hide yourself, you are not in it.'
      : 'You are ranked in it as well while you are hidden, or not settled yet.';
  const body = html`<p>You are invited to a league ${ownerText} with ${membersText(size)}: a board on which its members are ranked among themselves.</p>
<h2>Who will see what</h2>
<ul><li>Your place in it, as on the board of all: codename, display name, platform, rank, tier and scores. Never your token counts, prompts or code.</li>
<li>It is seen by <strong>${SEEN_BY[visibility]}</strong>. ${rest}</li>
<li>Its members see the codenames of all members.</li>
<li>Its owner can rename it, remove you, hand it over, and let fewer people see it; never more: that would be another league, which you join or not.</li></ul>
<p>You can leave at any time.</p>
${join}
<p class="soft">To decline, close this page: nothing happens.</p>`;
  visit.page(name, body);
}

/** `POST /account/league/join`. */
export const joinLeague = leaguePage(async (visit, operator) => {
  const [slug, code] = [visit.form.get('league') ?? '', visit.form.get('code') ?? ''];
  visit.redirect(leagueAddress(visit, await done(() => visit.accounts.leagues.join(operator, slug, code))));
});
