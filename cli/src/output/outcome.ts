import type { Outcome } from '../net/submit-snapshot.ts';
import type { Screen } from './screen.ts';

/** What to do about a refusal, by reason. */
const REFUSAL_ADVICE: Readonly<Record<string, string>> = {
  header_invalid: 'The service does not understand this version of the tool. Update it and run it again.',
  key_unknown: 'The service does not know this key, although it was just enrolled. Run the tool again.',
  key_revoked: 'This key was revoked. Move device-key.json out of the settings folder: the next run creates a new key.',
  key_foreign: 'This key belongs to another operator. Use a separate settings folder for each codename (--config-dir).',
  signature_invalid: 'The snapshot was changed in transit, or device-key.json is damaged. Run the tool again.',
  issued_too_long_ago: 'Your clock may be wrong: set it and run the tool again.',
  issued_in_future: 'Your clock is ahead: set it and run the tool again.',
  as_of_in_future: 'Your clock is ahead: set it and run the tool again.',
  as_of_too_long_ago: 'Your clock may be wrong: set it and run the tool again.',
  stream_limit:
    'Your account has submitted from the maximum number of machines and tools. One that you stop using frees its place after 7 days.',
  operator_gone: 'The account no longer exists.',
  entry_poisoned: 'The service could not process the snapshot. Run the tool again later.',
  entry_voided: 'The service has voided the snapshot. Ask its administrators.',
};

export function showOutcome(platform: string, outcome: Outcome, screen: Screen): void {
  const { good, bad, warn } = screen.paint;
  if (outcome.kind === 'accepted') {
    return screen.detail(`${platform}: ${outcome.changed ? good('accepted') : good('no change')}.`);
  }
  if (outcome.kind === 'pending') {
    screen.printWrapped(`${platform}: ${warn('pending.')} The snapshot is stored, but has no verdict yet.`);
    return screen.printWrapped('Your profile will show the new rank later.');
  }
  const { reason, detail, serverTime } = outcome;
  screen.printWrapped(`${platform}: ${bad('refused')} (${reason}).`);
  if (detail !== null) screen.printWrapped(detail);
  if (/^(issued|as_of)_/.test(reason) && serverTime !== null) {
    screen.printWrapped(`The service's clock: ${serverTime}. Yours: ${new Date().toUTCString()}.`);
  }
  screen.printWrapped(REFUSAL_ADVICE[reason] ?? 'Update the tool if there is a newer one, and run it again.');
}
