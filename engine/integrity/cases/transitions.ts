import { EFFECTS, isByPeople, REPORTED_RULE, REVIEW_RULE } from './case-types.ts';
import { CLOSING_NOTICE_DELAY_MS, EVIDENCE_DELAY_MS } from './limits.ts';

/** Where a case is. It begins as `closed`. In the store, `open` with `closed_at` is `closed`. */
type CaseState = 'open' | 'closed' | 'confirmed' | 'void';

interface Transition {
  readonly from: readonly CaseState[];
  /** Null: it stays where it is. */
  readonly to: CaseState | null;
  /** Whether the case waits for a moderator, when its operator is mailed, and from when on the evidence is public. */
  readonly effect: {
    readonly waits: keyof typeof WAITS;
    readonly mail: keyof typeof MAIL;
    readonly evidence: keyof typeof EVIDENCE;
  };
}

const ANY = ['open', 'closed', 'confirmed', 'void'] as const;

/** What happens to cases: every update of the store that changes a state is derived from a row. */
export const TRANSITIONS = {
  /** The rule is crossed again before its operator was mailed that it was not. */
  returned: { from: ['closed'], to: 'open', effect: { waits: 'undecided', mail: 'none', evidence: 'same' } },
  found: { from: ['closed'], to: 'open', effect: { waits: 'yes', mail: 'finding', evidence: 'fresh' } },
  /** The rule is crossed beyond what a moderator cleared. */
  exceeded: { from: ['void'], to: 'open', effect: { waits: 'yes', mail: 'finding', evidence: 'fresh' } },
  lost: { from: ['open'], to: 'closed', effect: { waits: 'appealed', mail: 'later', evidence: 'same' } },
  reported: { from: ANY, to: null, effect: { waits: 'yes', mail: 'same', evidence: 'same' } },
  appealed: { from: ['open', 'confirmed'], to: null, effect: { waits: 'appeal', mail: 'same', evidence: 'same' } },
  exclude: { from: ANY, to: 'confirmed', effect: { waits: 'no', mail: 'now', evidence: 'now' } },
  void: { from: ANY, to: 'void', effect: { waits: 'no', mail: 'now', evidence: 'delayed' } },
  restore: { from: ANY, to: 'open', effect: { waits: 'no', mail: 'now', evidence: 'delayed' } },
} as const satisfies Readonly<Record<string, Transition>>;

export type CaseEvent = keyof typeof TRANSITIONS;

/** What an event is about; all cases of `lost` have the same effects. */
interface About {
  readonly rule?: string;
  readonly severity?: string;
  readonly at: Date;
}

/** Expressions over a stored case. */
const IS_APPEALED = { $eq: ['$waiting.kind', 'appeal'] };
const IS_UNDECIDED = { $eq: [{ $setIntersection: ['$decisions.action', EFFECTS] }, []] };

const WAITS = {
  yes({ rule, at }: About) {
    const kind = rule === REPORTED_RULE ? 'report' : 'rule';
    return rule === REVIEW_RULE ? '$waiting' : { $cond: [IS_APPEALED, '$waiting', { kind, since: at }] };
  },
  undecided: () => {
    const since = { $ifNull: ['$waiting', { kind: 'rule', since: '$opened_at' }] };
    return { $cond: [IS_UNDECIDED, since, '$waiting'] };
  },
  appealed: () => ({ $cond: [IS_APPEALED, '$waiting', '$$REMOVE'] }),
  appeal: ({ at }: About) => ({ kind: 'appeal', since: at }),
  no: () => '$$REMOVE',
};

const MAIL = {
  now: ({ at }: About) => at,
  finding: ({ rule = '', at }: About) => (isByPeople(rule) ? '$notify_since' : at),
  later: ({ at }: About) => ({ $ifNull: ['$notify_since', new Date(at.getTime() + CLOSING_NOTICE_DELAY_MS)] }),
  none: () => '$$REMOVE',
  same: () => '$notify_since',
};

const EVIDENCE = {
  same: () => ({}),
  /** Of a copy the evidence, which is about somebody else as well, is public only after a moderator looked. */
  fresh({ rule = '', severity, at }: About) {
    const delay = severity === 'exclude' ? 0 : EVIDENCE_DELAY_MS;
    const hidden = isByPeople(rule) || rule === 'identical-series';
    return { opened_at: at, public_at: hidden ? null : new Date(at.getTime() + delay) };
  },
  now: ({ at }: About) => ({ public_at: { $min: ['$public_at', at] } }),
  delayed({ rule = '' }: About) {
    const delayed = { $add: ['$opened_at', EVIDENCE_DELAY_MS] };
    const public_at = { $cond: [{ $eq: ['$severity', 'exclude'] }, '$public_at', delayed] };
    return { public_at: isByPeople(rule) ? null : public_at };
  },
};

const STATES = {
  open: { state: 'open', closed_at: { $exists: false } },
  closed: { closed_at: { $exists: true } },
  confirmed: { state: 'confirmed' },
  void: { state: 'void' },
} as const;

/** The cases that an event can happen to, and the members that it sets, as expressions. */
export function transitionOf(event: CaseEvent, about: About) {
  const { from, to, effect }: Transition = TRANSITIONS[event];
  const moved = to && {
    state: to === 'closed' ? 'open' : to,
    closed_at: to === 'closed' ? about.at : '$$REMOVE',
  };
  return {
    filter: { $or: from.map((state) => STATES[state]) },
    set: {
      ...moved,
      waiting: WAITS[effect.waits](about),
      notify_since: MAIL[effect.mail](about),
      ...EVIDENCE[effect.evidence](about),
    },
  };
}
