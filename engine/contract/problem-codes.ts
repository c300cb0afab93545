import { WINDOWS } from './windows.ts';

/** A problem code's HTTP status, its title (the same for every occurrence), and a hint for recovery, if possible. */
export interface ProblemDefinition {
  readonly status: number;
  readonly title: string;
  readonly hint: string | null;
}

const SNAPSHOT_TOOL_HINT = 'Build and sign snapshots with the official command-line tool.';
const SIGN_IN_HINT = 'Sign in again and send the new access token as "Authorization: Bearer <ACCESS_TOKEN>".';
const NEW_PAYMENT_HINT =
  'Make a new payment as described in PAYMENT-REQUIRED or accepts. This payment was not charged here.';
const RETRY_HINT = 'Wait for the number of seconds in Retry-After, then repeat the request.';

/**
 * All problem codes. A published code keeps its meaning and its status. Each has a page at
 * {site_url}/developers/errors/{code}.
 */
export const PROBLEMS = {
  // 400: form of the request
  request_malformed: { status: 400, title: 'The request is not valid HTTP', hint: null },
  body_missing: { status: 400, title: 'A request body is required', hint: 'Send a JSON object.' },
  body_too_large: { status: 400, title: 'The request body is too large', hint: 'Send at most 16 KiB.' },
  media_type_unsupported: {
    status: 400,
    title: 'The media type is not supported',
    hint: 'Send "Content-Type: application/json".',
  },
  content_encoding_unsupported: {
    status: 400,
    title: 'Compressed request bodies are not supported',
    hint: 'Send the body without Content-Encoding.',
  },
  json_malformed: { status: 400, title: 'The body is not JSON', hint: null },
  json_not_utf8: { status: 400, title: 'The body is not UTF-8', hint: 'Encode the JSON text as UTF-8.' },
  json_too_deep: { status: 400, title: 'The JSON is nested too deeply', hint: null },
  json_duplicate_key: { status: 400, title: 'A JSON key occurs twice', hint: 'Use every member name once.' },
  json_forbidden_key: { status: 400, title: 'A JSON key is not allowed', hint: 'Remove the member.' },
  json_lone_surrogate: { status: 400, title: 'A JSON string is not well-formed Unicode', hint: null },

  // 400: content of the request
  validation_failed: { status: 400, title: 'The request is not valid', hint: null },
  field_unknown: {
    status: 400,
    title: 'A field is unknown',
    hint: 'Remove the fields that are not in the API description.',
  },
  body_not_object: { status: 400, title: 'The body must be a JSON object', hint: null },
  field_missing: { status: 400, title: 'A required field is missing', hint: null },
  count_not_a_number: {
    status: 400,
    title: 'A token count is not a number',
    hint: 'Send counts as JSON numbers, not as strings.',
  },
  count_not_finite: { status: 400, title: 'A token count is not finite', hint: null },
  count_negative: { status: 400, title: 'A token count is negative', hint: 'Counts are at least 0.' },
  count_too_large: { status: 400, title: 'A token count is too large', hint: 'Counts are at most 2^53 - 1.' },
  codename_invalid: {
    status: 400,
    title: 'The codename is not valid',
    hint: 'Codenames have 3 to 32 letters, digits and hyphens, with no hyphen at either end.',
  },
  platform_invalid: {
    status: 400,
    title: 'The platform is not valid',
    hint: 'Platforms have 1 to 32 lower-case letters, digits, dots, hyphens and underscores.',
  },
  signature_malformed: { status: 400, title: 'The signature is not a detached JWS', hint: SNAPSHOT_TOOL_HINT },
  signature_header_invalid: {
    status: 400,
    title: 'The signed header is not a snapshot header',
    hint: SNAPSHOT_TOOL_HINT,
  },
  codename_mismatch: {
    status: 400,
    title: 'The codename does not belong to the access token',
    hint: 'Submit under the codename you are signed in with.',
  },
  jti_conflict: {
    status: 400,
    title: 'The snapshot id was used before with different content',
    hint: 'Sign the snapshot again with a new jti.',
  },
  query_unknown: { status: 400, title: 'A query parameter is unknown', hint: 'Remove the parameter.' },
  query_repeated: { status: 400, title: 'A query parameter is repeated', hint: 'Give every parameter once.' },
  query_malformed: { status: 400, title: 'The query is not well-formed', hint: 'Percent-encode the query as UTF-8.' },
  window_invalid: {
    status: 400,
    title: 'The window is unknown',
    hint: `Use one of ${new Intl.ListFormat('en-GB').format(WINDOWS)}.`,
  },
  limit_not_an_integer: { status: 400, title: 'The limit is not an integer', hint: 'Use 1 to 100.' },
  limit_out_of_bounds: { status: 400, title: 'The limit is out of bounds', hint: 'Use 1 to 100.' },
  payment_malformed: {
    status: 400,
    title: 'Malformed x402 payment',
    hint: 'Send either PAYMENT-SIGNATURE (version 2) or X-PAYMENT (version 1), as created by an x402 client.',
  },
  format_invalid: { status: 400, title: 'The format is unknown', hint: 'Use one of json and csv.' },
  token_in_query: {
    status: 400,
    title: 'Access tokens are not read from the query',
    hint: 'Send tokens in the Authorization header, and treat this one as disclosed.',
  },
  key_invalid: {
    status: 400,
    title: 'The device key is not valid',
    hint: 'Send the public JWK of an Ed25519 key: {"kty":"OKP","crv":"Ed25519","x":...}.',
  },
  name_invalid: { status: 400, title: 'The device name is not valid', hint: 'Names have 1 to 64 characters.' },
  proof_invalid: {
    status: 400,
    title: 'The proof of possession is not valid',
    hint: 'Sign {codename, iat} with the key to enrol, within 5 minutes.',
  },
  device_limit: {
    status: 400,
    title: 'The operator has the maximum number of devices',
    hint: 'Revoke an unused device.',
  },
  key_taken: { status: 400, title: 'The key belongs to another operator', hint: 'Create a new key on this device.' },
  key_revoked: { status: 400, title: 'The key was revoked', hint: 'Create a new key on this device.' },
  codename_taken: { status: 400, title: 'The codename is taken', hint: 'Choose another one.' },
  codename_reserved: { status: 400, title: 'The codename is reserved', hint: 'Choose another one.' },
  display_name_invalid: {
    status: 400,
    title: 'The display name is not valid',
    hint: 'Use 1 to 64 visible characters, and not the codename of another operator.',
  },

  plan_invalid: { status: 400, title: 'The plan is unknown', hint: 'Use monthly or annual.' },
  already_subscribed: {
    status: 400,
    title: 'A subscription already exists',
    hint: 'Change or cancel it at the address in links.portal.',
  },
  webhook_signature_invalid: {
    status: 400,
    title: 'The webhook is not signed by the payment provider',
    hint: 'Sign the exact bytes of the body with the secret of this endpoint, within 5 minutes.',
  },

  // 401
  token_missing: { status: 401, title: 'An access token is required', hint: SIGN_IN_HINT },
  token_invalid: { status: 401, title: 'The access token is not valid', hint: SIGN_IN_HINT },
  token_expired: { status: 401, title: 'The access token has expired', hint: SIGN_IN_HINT },
  token_audience: {
    status: 401,
    title: 'The access token is for another service',
    hint: 'Ask the authorization server for a token for this resource.',
  },
  token_scope: {
    status: 401,
    title: 'The access token lacks a scope',
    hint: 'Sign in again with the scopes openid, profile and email.',
  },
  account_unknown: { status: 401, title: 'The account does not exist', hint: SIGN_IN_HINT },
  account_suspended: { status: 401, title: 'The account is suspended', hint: null },

  // 403
  client_not_allowed: {
    status: 403,
    title: 'Only the official tool may do this',
    hint: 'Use the official command-line tool, or your account page.',
  },

  // 402
  plan_required: {
    status: 402,
    title: 'A paid plan is required',
    hint: 'Start a subscription with POST /billing/subscribe.',
  },
  payment_required: {
    status: 402,
    title: 'A payment is required',
    hint: 'Pay as described in PAYMENT-REQUIRED (x402 version 2) or accepts (version 1), and repeat the request with the payment.',
  },
  payment_scheme_wrong: { status: 402, title: 'The payment scheme is not offered', hint: NEW_PAYMENT_HINT },
  payment_network_wrong: { status: 402, title: 'The payment is on another network', hint: NEW_PAYMENT_HINT },
  payment_asset_wrong: { status: 402, title: 'The payment is in another token', hint: NEW_PAYMENT_HINT },
  payment_payee_wrong: { status: 402, title: 'The payment is to another payee', hint: NEW_PAYMENT_HINT },
  payment_amount_wrong: { status: 402, title: 'The payment amount differs from the price', hint: NEW_PAYMENT_HINT },
  payment_expired: { status: 402, title: 'The payment has expired', hint: NEW_PAYMENT_HINT },
  payment_validity_wrong: {
    status: 402,
    title: 'The payment is not valid now, or is valid for too long',
    hint: 'Correct the clock, and make the payment valid from now for maxTimeoutSeconds.',
  },
  payment_signature_invalid: { status: 402, title: 'The signature was not made by the payer', hint: NEW_PAYMENT_HINT },
  payment_funds_missing: { status: 402, title: 'The payer has insufficient funds', hint: 'Add funds in the token.' },
  payment_refused: { status: 402, title: 'The payment was refused', hint: NEW_PAYMENT_HINT },
  payment_failed: { status: 402, title: 'The payment could not be settled', hint: NEW_PAYMENT_HINT },
  payment_reused: {
    status: 402,
    title: 'The payment was used before',
    hint: 'If the payment was for this request, repeat the request with its Answer-Receipt or an Answer-Claim; otherwise pay with a new payment.',
  },

  // 404, 405, 406
  path_unknown: { status: 404, title: 'There is nothing at this address', hint: 'See the API description.' },
  platform_unknown: {
    status: 404,
    title: 'No ranked operator uses the platform',
    hint: 'Omit the platform to get the list of platforms.',
  },
  operator_unknown: { status: 404, title: 'The operator does not exist', hint: 'Check the codename.' },
  snapshot_unknown: { status: 404, title: 'The snapshot does not exist', hint: 'Check the jti.' },
  device_unknown: { status: 404, title: 'The device does not exist', hint: 'List your devices with GET /devices.' },
  method_not_allowed: {
    status: 405,
    title: 'The method is not allowed here',
    hint: 'Use one of the methods in the Allow header.',
  },
  not_acceptable: {
    status: 406,
    title: 'None of the accepted media types is available',
    hint: 'Accept text/html or text/markdown.',
  },

  // 429
  rate_limited: { status: 429, title: 'Too many requests', hint: RETRY_HINT },
  codename_limit: { status: 429, title: 'The codename was changed too often', hint: RETRY_HINT },
  backlog_full: { status: 429, title: 'Too many snapshots are waiting', hint: RETRY_HINT },

  // 500, 503
  internal_error: { status: 500, title: 'The service failed', hint: 'Try again later.' },
  storage_unavailable: {
    status: 500,
    title: 'The storage is not available',
    hint: 'Nothing was acknowledged: repeat the request later.',
  },
  payments_closed: { status: 500, title: 'Payments are not configured on this server', hint: null },
  payments_unavailable: {
    status: 500,
    title: 'Payments are temporarily unavailable',
    hint: 'Nothing was paid: repeat the request later with the same payment, and with the Answer-Receipt if you have one.',
  },
  payment_unsettled: {
    status: 500,
    title: 'The settlement of the payment is not confirmed yet',
    hint: 'Repeat the request with the same payment and the Answer-Receipt of this response: you do not pay twice, and get the response once the payment is settled.',
  },
  billing_not_configured: {
    status: 500,
    title: 'Subscriptions are not configured on this server',
    hint: 'The operators of this service can configure them; nothing was charged.',
  },
  payment_provider_unavailable: {
    status: 500,
    title: 'The payment provider does not respond',
    hint: 'Nothing was charged: try again in a minute.',
  },
  not_ready: { status: 503, title: 'The service is not ready', hint: 'Try again later.' },
} as const satisfies Readonly<Record<string, ProblemDefinition>>;

export type ProblemCode = keyof typeof PROBLEMS;

export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(PROBLEMS, text);
}
