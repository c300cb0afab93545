import { PLATFORMS } from './platforms.ts';
import { listText, WINDOWS } from './windows.ts';

/** A problem code's HTTP status, its title (the same for every occurrence), and a hint for recovery. */
export interface ProblemDefinition {
  readonly status: number;
  readonly title: string;
  readonly hint: string;
}

const SNAPSHOT_TOOL_HINT = 'Build and sign snapshots with the official command-line tool.';
const SIGN_IN_HINT = 'Sign in again and send the new access token as "Authorization: Bearer <ACCESS_TOKEN>".';
const NEW_PAYMENT_HINT =
  'Make a new payment as described in PAYMENT-REQUIRED or accepts. This payment was not charged here.';
/** Occurrences add the contact of the installation, where it has one (`askOperators`). */
const ASK_OPERATORS_HINT = 'Ask the people who run this service.';
const RETRY_HINT = 'Wait for the number of seconds in Retry-After, then repeat the request.';

/** Titles of problems, and their hints. */
type Texts<Code extends string> = Readonly<Record<Code, readonly [title: string, hint: string]>>;

function withStatus<Code extends string>(status: number, texts: Texts<Code>): Record<Code, ProblemDefinition>;
function withStatus(status: number, texts: Texts<string>): Record<string, ProblemDefinition> {
  const entries = Object.entries(texts);
  return Object.fromEntries(entries.map(([code, [title, hint]]) => [code, { status, title, hint }]));
}

/** All problem codes, each with a page at {site_url}/developers/errors/{code}. A published code keeps its meaning and status. */
export const PROBLEMS = {
  ...withStatus(400, {
    billing_not_configured: ['This service does not offer subscriptions', ASK_OPERATORS_HINT],
    // form of the request
    request_malformed: [
      'The request is not valid HTTP',
      'Send HTTP/1.1 with a Host header, in time, with headers below 16 KiB.',
    ],
    body_missing: ['A request body is required', 'Send a JSON object.'],
    body_too_large: ['The request body is too large', 'Send at most 16 KiB.'],
    media_type_unsupported: ['The media type is not supported', 'Send "Content-Type: application/json".'],
    content_encoding_unsupported: [
      'Compressed request bodies are not supported',
      'Send the body without Content-Encoding.',
    ],
    json_malformed: [
      'The body is not JSON',
      'Send one JSON object (RFC 8259): no comments, no trailing commas, no text after it.',
    ],
    json_not_utf8: ['The body is not UTF-8', 'Encode the JSON text as UTF-8.'],
    json_too_deep: ['The JSON is nested too deeply', 'Send no objects or arrays besides those of the API description.'],
    json_duplicate_key: ['A JSON key occurs twice', 'Use every member name once.'],
    json_forbidden_key: ['A JSON key is not allowed', 'Remove the member.'],
    json_lone_surrogate: [
      'A JSON string is not well-formed Unicode',
      'Escape characters beyond U+FFFF as pairs of surrogates, or send them as UTF-8.',
    ],
    // content of the request
    validation_failed: ['The request is not valid', 'Compare the members in errors with the API description.'],
    field_unknown: ['A field is unknown', 'Remove the fields that are not in the API description.'],
    body_not_object: [
      'The body must be a JSON object',
      'Send an object: {...}, not an array, a string, a number or null.',
    ],
    field_missing: ['A required field is missing', 'Add the fields that errors points to.'],
    count_not_a_number: ['A token count is not a number', 'Send counts as JSON numbers, not as strings.'],
    count_not_finite: [
      'A token count is not finite',
      'Send a finite number: a literal such as 1e999 is beyond the range of a double.',
    ],
    count_negative: ['A token count is negative', 'Counts are at least 0.'],
    count_fractional: ['A token count is not a whole number', 'Send whole tokens: 12, not 12.5.'],
    count_too_large: ['A token count is too large', 'Counts are at most 2^53 - 1.'],
    codename_invalid: [
      'The codename is not valid',
      'Codenames have 3 to 32 letters, digits and hyphens, with no hyphen at either end.',
    ],
    platform_invalid: [
      'The platform is not valid',
      'Platforms have 1 to 32 lower-case letters, digits, dots, hyphens and underscores.',
    ],
    signature_malformed: ['The signature is not a detached JWS', SNAPSHOT_TOOL_HINT],
    signature_header_invalid: ['The signed header is not a snapshot header', SNAPSHOT_TOOL_HINT],
    codename_mismatch: [
      'The codename does not belong to the access token',
      'Submit under the codename you are signed in with.',
    ],
    jti_conflict: ['The snapshot id was used before with different content', 'Sign the snapshot again with a new jti.'],
    query_unknown: ['A query parameter is unknown', 'Remove the parameter.'],
    query_repeated: ['A query parameter is repeated', 'Give every parameter once.'],
    query_malformed: ['The query is not well-formed', 'Percent-encode the query as UTF-8.'],
    window_invalid: ['The window is unknown', `Use one of ${listText(WINDOWS, 'and')}.`],
    platform_unknown: ['The platform is not registered', `Use one of ${listText(PLATFORMS, 'and')}.`],
    platform_not_kept: [
      'The boards of platforms are not kept',
      'Leave at out for the newest board of the platform, or platform for a kept board of all operators.',
    ],
    limit_not_an_integer: ['The limit is not an integer', 'Use 1 to 100.'],
    limit_out_of_bounds: ['The limit is out of bounds', 'Use 1 to 100.'],
    offset_invalid: ['The offset is not valid', 'Use 0 to 2147483647: the number of rows before the first.'],
    place_invalid: ['The place is not valid', 'Use 1 to 2147483647: the place of the first row.'],
    percentile_invalid: ['The percentile is not valid', 'Use 0 to 100.'],
    tier_unknown: ['The tier does not exist', 'Use a tier of the methodology, for example POWER.'],
    operators_invalid: ['The list of operators is not valid', 'Give 1 to 100 codenames, separated by commas.'],
    yield_invalid: ['The Yield is not valid', 'Give a JSON number from 0 on.'],
    prefix_invalid: ['The prefix is not valid', 'Give 1 to 32 letters, digits and hyphens.'],
    parameter_not_supported: ['A parameter is not supported here', 'Leave the parameter out.'],
    parameters_conflict: ['Two parameters exclude each other', 'Leave one of them out.'],
    board_not_kept: ['The board is not kept', 'Use an hour (2026-11-28T14:00Z) or a day (2026-11-28) of GET /boards.'],
    operator_unranked: ['The operator is not on the board', 'See its profile for the reason.'],
    include_invalid: ['The response has no such part', 'Use include=held, or leave the parameter out.'],
    payment_malformed: [
      'Malformed x402 payment',
      'Send either PAYMENT-SIGNATURE (version 2) or X-PAYMENT (version 1), as created by an x402 client.',
    ],
    format_invalid: ['The format is unknown', 'Use one of json and csv.'],
    token_in_query: [
      'Access tokens are not read from the query',
      'Send tokens in the Authorization header, and treat this one as disclosed.',
    ],
    key_invalid: [
      'The device key is not valid',
      'Send the public JWK of an Ed25519 key: {"kty":"OKP","crv":"Ed25519","x":...}.',
    ],
    name_invalid: ['The device name is not valid', 'Names have 1 to 40 visible characters, without the name Upsilon.'],
    proof_invalid: [
      'The proof of possession is not valid',
      'Sign {codename, iat} with the key to enrol, within 5 minutes.',
    ],
    device_limit: ['The operator has the maximum number of devices', 'Revoke an unused device.'],
    key_taken: ['The key belongs to another operator', 'Create a new key on this device.'],
    key_revoked: ['The key was revoked', 'Create a new key on this device.'],
    codename_taken: ['The codename is taken', 'Choose another one.'],
    codename_reserved: ['The codename is reserved', 'Choose another one.'],
    display_name_invalid: [
      'The display name is not valid',
      'Use 1 to 64 visible characters, and not the codename of another operator.',
    ],
    league_name_invalid: [
      'The name of the league is not valid',
      'Use 1 to 64 visible characters, and no reserved word.',
    ],
    league_owner_only: ['Only the owner of the league may do this', 'Ask its owner, or leave the league.'],
    league_owner_leaves: ['The owner cannot leave the league', 'Hand it over to a member, or delete it.'],
    league_full: ['The league is full', 'Ask its owner to remove members who left the team.'],
    season_invalid: ['The season is not possible', 'Use 7 to 40 days after today (UTC), one season at a time.'],
    league_limit: ['You are in the maximum number of leagues', 'Leave one, or delete one of yours.'],
    plan_invalid: ['The plan is unknown', 'Use monthly or annual.'],
    already_subscribed: ['A subscription already exists', 'Change or cancel it at the address in links.portal.'],
    webhook_signature_invalid: [
      'The webhook is not signed by the payment provider',
      'Sign the exact bytes of the body with the secret of this endpoint, within 5 minutes.',
    ],
  }),
  ...withStatus(401, {
    token_missing: ['An access token is required', SIGN_IN_HINT],
    token_invalid: ['The access token is not valid', SIGN_IN_HINT],
    token_expired: ['The access token has expired', SIGN_IN_HINT],
    token_audience: [
      'The access token is for another service',
      'Ask the authorization server for a token for this resource.',
    ],
    token_scope: ['The access token lacks a scope', 'Sign in again with the scopes openid, profile and email.'],
    account_unknown: ['The account does not exist', SIGN_IN_HINT],
    account_suspended: ['The account is suspended', ASK_OPERATORS_HINT],
  }),
  ...withStatus(403, {
    client_not_allowed: [
      'Only the official tool may do this',
      'Use the official command-line tool, or your account page.',
    ],
  }),
  ...withStatus(402, {
    plan_required: ['A paid plan is required', 'Start a subscription with POST /billing/subscribe.'],
    payment_required: [
      'A payment is required',
      'Pay as described in PAYMENT-REQUIRED (x402 version 2) or accepts (version 1), and repeat the request with the payment.',
    ],
    payment_scheme_wrong: ['The payment scheme is not offered', NEW_PAYMENT_HINT],
    payment_network_wrong: ['The payment is on another network', NEW_PAYMENT_HINT],
    payment_asset_wrong: ['The payment is in another token', NEW_PAYMENT_HINT],
    payment_payee_wrong: ['The payment is to another payee', NEW_PAYMENT_HINT],
    payment_amount_wrong: ['The payment amount differs from the price', NEW_PAYMENT_HINT],
    payment_expired: ['The payment has expired', NEW_PAYMENT_HINT],
    payment_validity_wrong: [
      'The payment is not valid now, or is valid for too long',
      'Correct the clock, and make the payment valid from now for maxTimeoutSeconds.',
    ],
    payment_signature_invalid: ['The signature was not made by the payer', NEW_PAYMENT_HINT],
    payment_funds_missing: ['The payer has insufficient funds', 'Add funds in the token.'],
    payment_refused: ['The payment was refused', NEW_PAYMENT_HINT],
    payment_failed: ['The payment could not be settled', NEW_PAYMENT_HINT],
    payment_reused: [
      'The payment was used before',
      'If the payment was for this request, repeat the request with its Answer-Receipt or an Answer-Claim; otherwise pay with a new payment.',
    ],
  }),
  ...withStatus(404, {
    path_unknown: ['There is nothing at this address', 'See the API description.'],
    platform_unused: ['No ranked operator uses the platform', 'Omit the platform to get the list of platforms.'],
    operator_unknown: ['The operator does not exist', 'Check the codename.'],
    league_unknown: ['There is no such league', 'Check its address, or ask its owner for an invitation.'],
    invitation_unknown: ['The invitation is not valid', 'Ask the owner of the league for a new one.'],
    row_not_open: ['The operator has not opened its history', 'Read its profile and history, which are public.'],
    snapshot_unknown: ['The snapshot does not exist', 'Check the jti.'],
    device_unknown: ['The device does not exist', 'List your devices with GET /devices.'],
  }),
  ...withStatus(405, {
    method_not_allowed: ['The method is not allowed here', 'Use one of the methods in the Allow header.'],
  }),
  ...withStatus(406, {
    not_acceptable: ['None of the accepted media types is available', 'Accept text/html or text/markdown.'],
  }),
  ...withStatus(429, {
    rate_limited: ['Too many requests', RETRY_HINT],
    codename_limit: ['The codename was changed too often', RETRY_HINT],
    hiding_limit: ['The row was hidden or shown again less than a day ago', RETRY_HINT],
    leagues_made: ['You have made too many leagues today', RETRY_HINT],
    backlog_full: ['Too many snapshots are waiting', RETRY_HINT],
  }),
  ...withStatus(500, {
    internal_error: ['The service failed', 'Try again later.'],
    storage_unavailable: ['The storage is not available', 'Nothing was acknowledged: repeat the request later.'],
    payments_unavailable: [
      'Payments are temporarily unavailable',
      'Nothing was paid: repeat the request later with the same payment, and with the Answer-Receipt if you have one.',
    ],
    payment_unsettled: [
      'The settlement of the payment is not confirmed yet',
      'Repeat the request with the same payment and the Answer-Receipt of this response: you do not pay twice, and get the response once the payment is settled.',
    ],
    payment_provider_unavailable: [
      'The payment provider does not respond',
      'Nothing was charged: try again in a minute.',
    ],
  }),
  ...withStatus(503, {
    not_ready: ['The service is not ready', 'Try again later.'],
  }),
};

export type ProblemCode = keyof typeof PROBLEMS;

/** The statuses of problems: the name of the response in the API description, and its meaning. Contract, part 7. */
export const PROBLEM_STATUSES: ReadonlyMap<number, readonly [name: string, meaning: string]> = new Map([
  [400, ['BadRequest', 'The request is invalid.']],
  [401, ['Unauthorized', 'Authentication is missing or not valid.']],
  [402, ['PaymentRequired', 'A payment is required.']],
  [403, ['Forbidden', 'The token does not permit the operation.']],
  [404, ['NotFound', 'The resource does not exist.']],
  [405, ['MethodNotAllowed', 'The resource does not support this method.']],
  [406, ['NotAcceptable', 'The resource is not available in an accepted media type.']],
  [429, ['TooManyRequests', 'Too many requests.']],
  [500, ['InternalError', 'The service failed.']],
  [503, ['ServiceUnavailable', 'The service is not ready.']],
]);

export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(PROBLEMS, text);
}
