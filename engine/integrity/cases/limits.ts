import { DAY_MS, MINUTE_MS } from '../../../config/units.ts';

/** The evidence of a finding that does not exclude becomes public this long after the notice to the operator, in milliseconds. */
export const EVIDENCE_DELAY_MS = 3 * DAY_MS;

/**
 * The operator is mailed this long after a case closed, in milliseconds. A finding that comes back before then continues its case:
 * no mail is sent, and the delay of its evidence goes on.
 */
export const CLOSING_NOTICE_DELAY_MS = DAY_MS;

/** Reports of an operator in a day, in UTC. */
export const MAX_REPORTS_PER_DAY = 10;

/** After a decision, new reports of the row do not ask for another one for this long, in milliseconds. */
export const REVIEW_STANDS_MS = 30 * DAY_MS;

/** Characters of an answer, an appeal or a moderator's reason. */
export const MAX_CASE_TEXT_LENGTH = 500;

/** After a decision on an appeal, the operator can appeal again this much later, in milliseconds, or once its counts changed. */
export const APPEAL_RESTS_MS = 30 * DAY_MS;

/** A finding may come from a record as it was this long ago, in milliseconds: it says nothing about a decision made since. */
export const FINDING_AGE_MS = 10 * MINUTE_MS;
