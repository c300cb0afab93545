import type { Outcome } from '../net/submit-snapshot.ts';
import type { Screen } from './screen.ts';

/** What to do about a refusal, by its reason. */
const REFUSAL_ADVICE: Readonly<Record<string, string>> = {
  header_invalid: 'The service does not understand this version of the tool. Update it and run it again.',
  key_unknown: 'The service does not know the key although it was just enrolled. Run the tool again.',
  key_revoked: 'This key was revoked. Move device-key.json out of the settings folder: the next run makes a new key.',
  key_foreign:
    'This key belongs to another operator. Use a settings folder of your own for each codename (--config-dir).',
  signature_invalid: 'The snapshot was changed on its way, or device-key.json is damaged. Run the tool again.',
  issued_too_long_ago: 'Your clock may be wrong: set it and run the tool again.',
  issued_in_future: 'Your clock is ahead: set it and run the tool again.',
  as_of_in_future: 'Your clock is ahead: set it and run the tool again.',
  as_of_too_long_ago: 'Your clock may be wrong: set it and run the tool again.',
  stream_limit: 'Your account has reported from as many machines and tools as it may have.',
  operator_gone: 'The account no longer exists.',
  entry_poisoned: 'The service could not process the snapshot. Run the tool again later.',
  entry_voided: 'The service has taken the snapshot out. Ask those who run it.',
};

/** Shows what became of one snapshot. */
export function showOutcome(platform: string, outcome: Outcome, screen: Screen): void {
  const { good, bad, warn } = screen.paint;
  switch (outcome.kind) {
    case 'accepted': {
      const what = outcome.changed ? good('accepted.') : `${good('unchanged:')} these totals were known already.`;
      screen.say(`${platform}: ${what}`);
      return;
    }
    case 'pending':
      screen.say(`${platform}: ${warn('pending.')} The snapshot is safely stored, but not judged yet.`);
      screen.say('Its rank shows on your profile later.');
      return;
    case 'refused':
      screen.say(`${platform}: ${bad('refused')} (${outcome.reason}).`);
      if (outcome.detail !== null) screen.say(outcome.detail);
      if (isAboutTime(outcome.reason) && outcome.serverTime !== null) {
        screen.say(`The service's clock: ${outcome.serverTime}. Yours: ${new Date().toUTCString()}.`);
      }
      screen.say(REFUSAL_ADVICE[outcome.reason] ?? 'Update the tool if there is a newer one, and run it again.');
  }
}

function isAboutTime(reason: string): boolean {
  return reason.startsWith('issued_') || reason.startsWith('as_of_');
}
