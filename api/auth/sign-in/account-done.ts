import { type Html, html } from '../../html.ts';
import type { Visit } from './visit.ts';

/** What a change of an account says where it was made: the section of the account page, and the words. */
const DONE = {
  renamed: ['names', 'Your codename is changed. The board follows in a moment.'],
  named: ['names', 'Your display name is saved.'],
  hidden: ['hide', 'You are hidden from the next board on.'],
  shown: ['hide', 'You are shown again from the next board on.'],
  opened: ['open', 'Your history is open.'],
  closed: ['open', 'Your history is closed.'],
  letters_on: ['letters', 'Weekly letters are on.'],
  letters_off: ['letters', 'Weekly letters are off.'],
  way_added: ['ways', 'The way to sign in is added.'],
  way_removed: ['ways', 'It is removed.'],
  device_revoked: ['devices', 'The key is revoked: it can no longer sign.'],
  app_ended: ['apps', 'The app is signed out, and can do nothing more for you.'],
  answered: ['integrity', 'Your answer is saved.'],
  appealed: ['integrity', 'Your appeal is sent to the moderators.'],
} as const;

/** Ends a change: leads to its section, which says that it was made. */
export function showDone({ paths, redirect }: Pick<Visit, 'paths' | 'redirect'>, change: keyof typeof DONE): void {
  redirect(`${paths.account}?done=${change}#${DONE[change][0]}`);
}

/** What was just changed in a section of the account page. */
export function doneNote({ query }: Visit, section: string): Html | null {
  const done = Object.entries(DONE).find(([change]) => change === query.get('done'))?.[1];
  return done?.[0] === section ? html`<p class="note" role="status">${done[1]}</p>` : null;
}
