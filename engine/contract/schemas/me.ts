import * as z from 'zod';
import { coded } from './coded.ts';

/** Characters a display name may have. */
export const MAX_DISPLAY_NAME_LENGTH = 64;

const CODENAME_IN_ANY_CASE = /^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$/i;

/** No control characters, halves of characters, or marks that turn the direction of the text around them. */
const PLAIN_TEXT = /^[^\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+$/u;

/** Where an account stands with its plan. */
export const PlanStanding = z
  .object({
    state: z.string().meta({
      description:
        'none, active, ending (cancelled, runs to its end), grace (a renewal could not be paid yet), unpaid, paused, refunded, ' +
        'disputed, incomplete or ended.',
    }),
    eligible: z.boolean().meta({ description: 'Whether it lets you submit where a plan is required.' }),
    plan: z.string().nullable().meta({ description: 'monthly or annual; null for whoever never subscribed.' }),
    renews_at: z.iso.datetime().nullable(),
    ends_at: z.iso.datetime().nullable(),
    portal_url: z.url().nullable().meta({ description: 'Where to change or cancel it, in a browser.' }),
  })
  .meta({ description: 'Where your subscription stands.' });

/** The caller's own operator. */
export const Me = z
  .object({
    codename: z.string(),
    display_name: z.string().nullable(),
    plan: z.string(),
    subscription: PlanStanding,
    email: z.string().nullable().meta({ description: 'The oldest verified address.' }),
    created_at: z.iso.datetime(),
  })
  .meta({ description: 'Your own operator.' });

/** The body of PATCH /me: what is absent stays. */
export const MeChange = z
  .object(
    {
      codename: z.string(coded('codename_invalid')).regex(CODENAME_IN_ANY_CASE, coded('codename_invalid')).optional(),
      display_name: z
        .string(coded('display_name_invalid'))
        .trim()
        .min(1, coded('display_name_invalid'))
        .max(MAX_DISPLAY_NAME_LENGTH, coded('display_name_invalid'))
        .regex(PLAIN_TEXT, coded('display_name_invalid'))
        .nullable()
        .optional(),
    },
    coded('body_not_object'),
  )
  .meta({ description: 'What to change of your operator.' });

/** What is left after DELETE /me. */
export const Erased = z
  .object({
    erased: z.literal(true),
    remains: z.array(z.string()).meta({ description: 'What is still on record, none of which says who you were.' }),
  })
  .meta({ description: 'Your operator is erased.' });
