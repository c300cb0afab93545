import { m } from '../render/inline.ts';
import { bullets, codeBlock, heading, lede, prose } from '../render/parts.ts';
import type { Guide } from './guide.ts';

/** Enough to make a verifier, with the signed layout alone: `test/api/v1/open-row/second-verifier` was. */
export const openRows: Guide = {
  slug: 'open-rows',
  title: 'Verify an open row',
  about: 'How anybody verifies the snapshots of an operator that opened its history, and recomputes its row.',
  parts: ({ baseUrl }) => [
    lede(
      m`An operator can open its history at its account. Its row then says \`open\`, and \`upsilon verify CODENAME\` checks it, also from a saved answer (\`--save\`, \`--from\`). This page is what another program needs for the same.`,
    ),
    heading(2, 'The pages'),
    codeBlock('text', `GET ${baseUrl}/operators/{codename}/snapshots?before={next}`, 'The request'),
    prose(
      m`A page has at most 500 snapshots, by the \`jti\` of their headers from the last one down. The first request has no \`before\`, each other one the \`next\` of the page before it, and the last page has \`next: null\`. Each page repeats its \`before\`, so that a saved set shows whether one is missing, and \`as_of\` and \`windows\`: if they differ between pages, the row changed meanwhile.`,
      m`A row that is not open is 404 \`row_not_open\`; one that is hidden, suspended or erased is 404 \`operator_unknown\`. Nothing may keep an answer (\`no-store\`): a row that is closed is served no more. Copies cannot be recalled.`,
    ),
    bullets(
      m`\`keys\`: each device key, with \`kid\`, the public key \`x\` (base64url), \`created_at\`, and \`revoked_at\` or null.`,
      m`\`snapshots\`: each with \`received_at\`, \`payload\` (the signed text) and \`signature\` (a detached compact JWS).`,
      m`\`left_out\`: how many other snapshots in the range of the page were voided, refused, or have no verdict yet.`,
      m`\`windows\`: of each window the four counts and \`yield_\`, for the hour that \`as_of\` begins.`,
      m`\`by_our_word\`, on the last page: null, or \`samples\` of the snapshots that were received before \`received_before\` and have left the log with their signatures; each has \`stream\`, \`platform\`, \`epoch\`, \`as_of\` and the four counts.`,
    ),
    heading(2, 'Verify the signatures'),
    bullets(
      m`BASE64URL(SHA-256 of \`{"crv":"Ed25519","kty":"OKP","x":"…"}\`) of each key is its \`kid\` (RFC 7638).`,
      m`A signature is \`header..signature\`, both base64url: Ed25519 by the key of the header’s \`kid\` over \`header "." BASE64URL(payload)\`. See [how to sign](site:/developers/signing).`,
      m`\`received_at\` is before the key’s \`revoked_at\`. What a key signed before it was revoked counts.`,
    ),
    heading(2, 'Recompute the windows'),
    bullets(
      m`A snapshot is a sample: the counts of its payload, at the header’s \`as_of\` (else \`iat\`), of the stream that the header’s \`stream\` (else \`kid\`) and the payload’s \`platform\` (else \`unspecified\`) name together, in the header’s \`epoch\` (else 0). What is by our word are samples as well. Of each stream, only those of its highest epoch count.`,
      m`With H the time \`as_of\` of the page, \`7d\` begins at H − 168 hours; \`30d\` and \`90d\` begin 30 and 90 days before the UTC midnight at or before H; \`all_time\` has no beginning.`,
      m`Of each count, a stream has used in a window the greatest of its samples less the greatest of those before the window began (0 without any). The window is the sum over the streams, in the order of stream and then platform by code units, as IEEE 754 doubles.`,
      m`The Yield is \`(cache_read × output) / (input × input)\`; \`yield_\` is null below the floors of the methodology.`,
      m`A window is by signatures alone if it is the same without the samples that are by our word.`,
    ),
    heading(2, 'What this does not show'),
    bullets(
      m`That the counts are true: see [what a signature proves](site:/developers/signing#what-it-proves).`,
      m`That the keys are the operator’s, when a snapshot arrived, and that none is left out: that is by our word.`,
      m`Ranks, which depend on the other rows, witnessed days and findings.`,
    ),
  ],
};
