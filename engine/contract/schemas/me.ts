import * as z from 'zod';
import { displayNameFault, MAX_DISPLAY_NAME_LENGTH } from '../display-name.ts';
import type { ProblemCode } from '../problem-codes.ts';
import { coded } from './coded.ts';
import { described, optional } from './described.ts';

const CODENAME_IN_ANY_CASE = /^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$/i;

/** The status of an account's plan. */
export const PlanStatus = z
  .object({
    state: z.string().meta({
      description:
        'none, active, ending (cancelled, runs to its end), grace (a renewal is not paid yet), unpaid, paused, refunded, ' +
        'disputed, incomplete or ended.',
    }),
    eligible: described(z.boolean(), 'Whether it allows submissions where a plan is required.'),
    plan: described(z.string().nullable(), 'monthly or annual; null without a subscription so far.'),
    renews_at: z.iso.datetime().nullable(),
    ends_at: z.iso.datetime().nullable(),
    portal_url: described(z.url().nullable(), 'Where to change or cancel it, in a browser.'),
  })
  .meta({ description: 'The status of your subscription.' });

/** A text under the rules of display names, whose faults are reported under a code. */
export function displayNameText(code: ProblemCode) {
  return z
    .string(coded(code))
    .trim()
    .normalize('NFC')
    .min(1, { abort: true, ...coded(code) })
    .max(MAX_DISPLAY_NAME_LENGTH, { abort: true, ...coded(code) })
    .superRefine((name, context) => {
      const detail = displayNameFault(name);
      if (detail === null) return;
      context.addIssue({ code: 'custom', message: code, params: { detail }, input: name });
    });
}

/** The caller's own operator. */
export const Me = z
  .object({
    codename: z.string(),
    display_name: z.string().nullable(),
    hidden: described(z.boolean(), 'Whether you hid your row: to others your codename is an unknown one.'),
    plan: z.string(),
    subscription: PlanStatus,
    email: described(z.string().nullable(), 'The oldest verified address.'),
    created_at: z.iso.datetime(),
  })
  .meta({ description: 'Your own operator.' });

/** The body of PATCH /me: one of the fields. */
export const MeChange = z
  .object(
    {
      codename: z.string(coded('codename_invalid')).regex(CODENAME_IN_ANY_CASE, coded('codename_invalid')).optional(),
      display_name: optional(
        displayNameText('display_name_invalid').nullable(),
        'A display name: visible characters, not the codename of another operator. It is shown as text of its owner.',
      ),
      hidden: optional(
        z.boolean(),
        'True hides your row, false shows it again: once in 24 hours. A hidden row is on no board from the next version on, and counts nowhere; your counts, findings and devices stay.',
      ),
    },
    coded('body_not_object'),
  )
  .meta({ description: 'Changes to your operator.' });

/** The response of DELETE /me. */
export const Erased = z
  .object({
    erased: z.literal(true),
    remains: described(z.array(z.string()), 'Records that remain; none of them identifies you.'),
  })
  .meta({ description: 'Your operator is erased.' });
