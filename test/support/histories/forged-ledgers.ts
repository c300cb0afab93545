import { DAY_MS } from '../../../config/units.ts';
import { MAX_EPOCH } from '../../../engine/contract/signing/index.ts';
import {
  altered,
  CLAUDE,
  CODEX,
  type Forgeries,
  type Forgery,
  type Four,
  forgery,
  growing,
  type Point,
  plus,
  times,
  together,
} from './forge.ts';
import { bySubmission, PRESENT, type Submission } from './history.ts';

type Beyond = Forgery['beyond'];

/** A day with a Yield that wins, and the same without input. */
const DAY: Four = [200, 4e5, 2e8, 2e6];
const DAY_WITHOUT_INPUT: Four = [0, 4e5, 2e8, 2e6];
/** An honest day on a source that writes nothing. */
const CODEX_DAY: Four = [3e5, 6e4, 3e6, 0];
const HUGE_INPUT: Four = [1e9, 1e6, 1e6, 0];
const TURN: Four = [3, 2_000, 500_000, 0];

const both = (...parts: readonly (readonly Submission[])[]): Submission[] => parts.flat().sort(bySubmission);
const changed = (points: readonly Point[], change: (counts: Four, daysAgo: number) => Four): Point[] =>
  points.map(([daysAgo, counts]) => [daysAgo, change(counts, daysAgo)]);

/** A huge input dated before a window, and growth within it. All sent at once. */
const pastInput = (days: number, growth: Four, beyond: Beyond): Forgery =>
  forgery(beyond, ({ sendLate }) =>
    sendLate([
      [days + 0.1, HUGE_INPUT],
      ...changed(
        growing(days, 1, () => growth),
        (counts) => plus(HUGE_INPUT, counts),
      ),
    ]),
  );

/** Honest days, then past totals, made from the last ones, that are sent now. */
const pastAfter = (beyond: Beyond, days: number, past: (last: Four, points: readonly Point[]) => Point[]): Forgery =>
  forgery(
    beyond,
    ({ rough, send, sendLate }) => {
      const points = rough(60, CODEX_DAY).filter(([daysAgo]) => daysAgo >= days);
      return both(send(points), sendLate(past(points.at(-1)![1], points)));
    },
    CODEX,
  );

/** Honest days, then so many epochs, two a day. */
const epochs = (count: number, beyond: Beyond, change: (counts: Four, epoch: number) => Four): Forgery =>
  forgery(
    beyond,
    ({ rough, send }) => {
      const points = rough(60, CODEX_DAY);
      const last = points.at(-1)![1];
      const epoch = (index: number) => send([[(count - index) / 2, change(last, index)]], { epoch: index });
      return both(
        send(points),
        together(count, (index) => epoch(index + 1)),
      );
    },
    CODEX,
  );

/** The same on 64 ledgers. */
const on64Streams = (beyond: Beyond, days: number, hour: Four): Forgery =>
  forgery(beyond, ({ rough, send }) =>
    together(64, (index) => send(rough(days, hour, 1 / 24), { stream: `forged-ledger-${index}` })),
  );

/** Input in one place, and what comes of it in another. */
const apart = (inputPlace: Partial<Submission>, platform = CLAUDE): Forgery =>
  forgery('arithmetic', ({ rough, send }) =>
    both(send(rough(30, [1_000, 0, 0, 0]), inputPlace), send(rough(30, DAY_WITHOUT_INPUT), { platform })),
  );

/** A copy of another operator's honest history. */
const copied = (change: (counts: Four) => Four, daysLater = 0, platform = CLAUDE): Forgery =>
  forgery(null, ({ honest }) => {
    const original = honest('hourly');
    const later = daysLater * DAY_MS;
    const submissions = altered(original.submissions, change, { stream: 'copied-ledger', platform })
      .map((each) => ({ ...each, at: each.at + later, asOf: each.asOf + later }))
      .filter(({ at }) => at <= PRESENT);
    return { original, submissions };
  });

/** Honest work, and another ledger beside it. */
const beside = (beyond: Beyond, platform: string, days: number, growth: Four): Forgery =>
  forgery(
    beyond,
    ({ honest, rough, send }) =>
      both(honest('past-days-then-daily').submissions, send(rough(days, growth), { stream: 'side-ledger', platform })),
    CODEX,
  );

/** Forgeries that show in dates, epochs and ledgers, or in another operator's history. */
export const FORGED_LEDGERS: Forgeries = {
  'past-input-before-7-days': pastInput(7, DAY_WITHOUT_INPUT, 'arithmetic'),
  'past-input-before-30-days': pastInput(30, DAY_WITHOUT_INPUT, 'arithmetic'),
  'past-input-before-89-days': pastInput(89, DAY_WITHOUT_INPUT, 'arithmetic'),
  'past-input-before-7-days-few-since': pastInput(7, DAY, null),
  'past-input-before-30-days-few-since': pastInput(30, DAY, null),
  'honest-input-moved-before-the-window': forgery('arithmetic', ({ rough, sendLate }) => {
    const points = rough(60, CODEX_DAY);
    const [all] = points.at(-1)![1];
    return sendLate(
      changed(points, (counts, daysAgo) => (daysAgo > 31 ? counts : [all, counts[1], counts[2] * 10, 0])),
    );
  }),
  'past-reads-within-the-window': pastAfter('arithmetic', 3, (last) => [[1, plus(last, [0, 1e6, 1e9, 0])]]),
  'past-reads-few-input': pastAfter(null, 3, (last) => [[1, plus(last, [2_000, 1e6, 3e9, 0])]]),
  'past-exceeds-present': pastAfter('arithmetic', 0, (last) => [
    [30, plus(last, [5e10, 0, 0, 0])],
    [2, plus(last, [0, 1e6, 1e9, 0])],
  ]),
  'past-rewritten-nicer': pastAfter(null, 0, (_, points) => changed(points, (counts) => times(counts, 0.1, 2, 50, 1))),
  'perfect-past': forgery(null, ({ sendLate }) => sendLate(growing(89, 1, () => DAY))),
  'perfect-rough-past': forgery(null, ({ rough, sendLate }) => sendLate(rough(89, DAY))),
  'huge-past-then-one-turn': forgery(null, ({ send }) => {
    return send(growing(8, 8, (step) => (step === 0 ? [1e9, 1e8, 1e10, 1e9] : TURN)));
  }),

  'epoch-drops-input': epochs(1, null, ([, ...others]) => [2_000, ...others]),
  'epoch-without-input': epochs(1, 'arithmetic', ([, ...others]) => [0, ...others]),
  'epoch-input-falls-99-percent': epochs(1, null, (counts) => times(counts, 0.01, 1, 1, 1)),
  'epoch-output-times-10': epochs(1, null, (counts) => times(counts, 1, 10, 1, 1)),
  'epoch-of-one-turn': epochs(1, null, () => TURN),
  'epoch-of-more-than-machines': epochs(1, 'physics', () => [1e9, 1e14, 1e14, 0]),
  'ten-epochs-each-nicer': epochs(10, null, (counts, epoch) => times(counts, 0.6 ** epoch, 1, 1.1 ** epoch, 1)),
  'forty-epochs-of-one-turn': epochs(40, null, (_, epoch) => plus(TURN, [0, epoch, epoch, 0])),
  'highest-epoch-at-once': forgery(null, ({ send }) => send([[0, TURN]], { epoch: MAX_EPOCH })),
  'epochs-back-and-forth': forgery(null, ({ send }) =>
    together(20, (index) => send([[20 - index, times(TURN, index + 1)]], { epoch: index % 2 })),
  ),

  '64-streams-at-full-speed': on64Streams('physics', 4, [3e4, 4.3e6, 3e8, 2e7]),
  '64-streams-beyond-machines': on64Streams('physics', 2, [3e6, 1e10, 1e10, 2e7]),
  '64-new-streams-within-an-hour': on64Streams('physics', 1 / 24, [2e4, 3e7, 3e9, 1e8]),
  '60-streams-in-turn': forgery('physics', ({ roughly, send }) =>
    together(60, (index) => {
      const grown = roughly([6e6, 6e9, 3e11, 3e10]);
      const days = (step: number): number => 90 - 30 * step - (index % 30);
      return send(
        [1, 1.1, 2.1].map((factor, step) => [days(step), times(grown, factor)]),
        { stream: `turning-ledger-${index}` },
      );
    }),
  ),
  '64-streams-of-one-request': on64Streams(null, 0, [2, 1_000, 9e5, 0]),
  'input-and-reads-on-two-streams': apart({ stream: 'ledger-of-input' }),
  'input-on-another-platform': apart({ platform: 'other' }),
  'five-mirrored-streams': forgery(null, ({ honest }) => {
    const { submissions } = honest('past-days-then-daily');
    return together(5, (index) => altered(submissions, (counts) => counts, { stream: `mirror-${index}` }));
  }),
  'new-stream-every-day': forgery(null, ({ send }) =>
    together(30, (index) => send([[29 - index, TURN]], { stream: `day-ledger-${index}` })),
  ),
  'agents-since-release-on-40-ledgers': forgery(null, ({ roughly, send }) =>
    together(40, (index) => send([[39 - index, roughly([5e6, 8e9, 2e11, 2e9])]], { stream: `late-ledger-${index}` })),
  ),
  'little-without-input-on-40-ledgers': forgery('arithmetic', ({ roughly, send }) =>
    both(
      send([[20, [2_000, 3e4, 4e6, 2e5]]]),
      together(40, (index) => send([[2, roughly([0, 1.5e5, 1e7, 1e6])]], { stream: `dry-ledger-${index}` })),
    ),
  ),
  'honest-with-perfect-side-stream': beside(null, CLAUDE, 30, DAY),
  'honest-with-side-stream-of-reads': beside('arithmetic', CODEX, 1, [0, 5e7, 5e10, 0]),

  'copied-series': copied((counts) => counts),
  'copied-a-day-later': copied((counts) => counts, 1),
  'copied-doubled': copied((counts) => times(counts, 2)),
  'copied-plus-constant': copied((counts) => plus(counts, [7, 1_000, 1e5, 100])),
  'copied-to-another-platform': copied((counts) => counts, 0, CODEX),
};
