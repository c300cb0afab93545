import { DAY_MS, MINUTE_MS } from '../../../config/units.ts';
import {
  DEVICE_PROOF_TYP,
  FORBIDDEN_HEADER_MEMBERS,
  MAX_CLOCK_SKEW_MS,
  MAX_EPOCH,
  MAX_SNAPSHOT_AGE_MS,
  SIGNATURE_ALG,
  SNAPSHOT_TYP,
} from '../../../engine/contract/signing/index.ts';
import { code, m } from '../render/inline.ts';
import { bullets, codeBlock, facts, folded, heading, lede, type Part, prose, section, table } from '../render/parts.ts';
import type { Guide } from './guide.ts';
import { SIGNING_VECTORS, VECTOR_KEY, VECTOR_PROOF, VECTORS_RECEIVED_AT } from './signing-vectors.ts';

export const signing: Guide = {
  slug: 'signing',
  title: 'Sign a snapshot',
  about: 'What the signature of a snapshot covers, how to create one, what is refused, and test vectors.',
  parts: () => [
    lede(
      m`A snapshot is a JSON body whose **signature** is a compact JWS with detached payload (RFC 7515, appendix F): \`${SIGNATURE_ALG}\` over Ed25519, with a key that was generated on the device and enrolled for the operator.`,
    ),
    heading(2, 'The payload'),
    prose(
      m`The RFC 8785 canonical JSON of these members, exactly as they are sent. If there is no platform, leave it out. The body may contain other members, which are neither signed nor read.`,
    ),
    codeBlock('text', '{codename, input, output, cache_read, cache_write, platform?}', 'Signed members'),
    heading(2, 'The protected header'),
    ...headerParts(),
    heading(2, 'How to sign'),
    codeBlock(
      'text',
      [
        'payload   = RFC 8785 canonical JSON of the signed members, UTF-8',
        'header    = BASE64URL(JSON of the protected header)',
        'input     = header "." BASE64URL(payload)',
        'signature = header ".." BASE64URL(Ed25519(key, input))',
      ].join('\n'),
      'How a signature is made',
    ),
    prose(m`Counts are whole numbers from 0 to 2^53 − 1, serialized as in ECMAScript: \`120000\`.`),
    heading(2, 'Enrolling a key'),
    prose(
      m`\`POST /devices {jwk, name?, proof}\` with an access token of the official tool; tokens of other apps are refused. The proof is a compact JWS by that key with \`typ: "${DEVICE_PROOF_TYP}"\` over \`{codename, iat}\`, at most 5 minutes old. A public key must be a canonical Ed25519 point that is not of small order. [The reference](site:/developers/reference#enrolDevice) describes the full request and its errors.`,
    ),
    heading(2, 'What is refused'),
    bullets(
      m`A key that is unknown, was revoked before the snapshot arrived, or belongs to another operator.`,
      m`A signature that does not match the request body.`,
      m`\`iat\` or \`as_of\` more than ${MAX_CLOCK_SKEW_MS / MINUTE_MS} minutes in the future, or more than ${MAX_SNAPSHOT_AGE_MS / DAY_MS} days old.`,
      m`A signature that is not a detached JWS, or whose header does not follow the layout above: 400 \`signature_malformed\`, before anything is stored.`,
      m`A \`jti\` used before with other content: 400 \`jti_conflict\`. With the same content, you get the first verdict again and nothing is counted twice.`,
    ),
    prose(m`All checks use the time at which the snapshot arrived, so a late retry gets the same verdict.`),
    heading(2, 'Vectors'),
    ...vectorParts(),
    heading(2, 'What a signature proves', 'what-it-proves'),
    section(
      'note',
      prose(
        m`A signature proves that the holder of an enrolled key reported these counts at that time, and that they have not changed since. It does not prove that the counts are true.`,
      ),
    ),
  ],
};

function headerParts(): Part[] {
  return [
    table({
      caption: 'Members of the protected header',
      className: 'stacked',
      columns: [{ label: 'Member', is: ['row'] }, { label: 'Required' }, { label: 'Description' }],
      rows: [
        [code('alg'), 'required', `always "${SIGNATURE_ALG}"`],
        [code('typ'), 'required', `"${SNAPSHOT_TYP}"`],
        [code('kid'), 'required', 'RFC 7638 SHA-256 thumbprint of the device key'],
        [code('jti'), 'required', '8 to 64 characters A-Z a-z 0-9 _ -, unique for the operator'],
        [code('iat'), 'required', 'when it was signed, in whole seconds'],
        [code('as_of'), 'optional', 'the time to which the totals apply; iat when absent'],
        [code('stream'), 'optional', 'the ledger to which the totals belong, 8 to 64 characters; kid when absent'],
        [
          code('epoch'),
          'optional',
          `the ledger’s epoch, which a recount raises, 0 to ${MAX_EPOCH}; only the highest counts; 0 when absent`,
        ],
        [code('cli'), 'optional', 'version of the tool that signed'],
        [
          code('counting'),
          'optional',
          'how the tool counts on this platform: “exact”, as the AI tool wrote the counts, or “derived”, some of them computed from others; shown on the profile with the version, if that begins like “1.2.3”',
        ],
      ],
    }),
    prose(
      m`A header with ${FORBIDDEN_HEADER_MEMBERS.map((member, index) => m`${index === 0 ? '' : ', '}${code(member)}`)} is refused: these members would let the sender choose the key, the payload or how it is read. Other members are ignored.`,
    ),
  ];
}

function vectorParts(): Part[] {
  return [
    prose(
      m`Each vector is a request body and its verdict when received at ${VECTORS_RECEIVED_AT}. The operator is \`sample-fox\`, and this is its only enrolled key. The seed is public, so the service refuses to enrol this key. Use it only in your own tests.`,
    ),
    facts([
      ['Seed (hex)', code(VECTOR_KEY.seed)],
      ['Public key x', code(VECTOR_KEY.x)],
      ['kid', code(VECTOR_KEY.kid)],
      ['Proof to enrol it', code(VECTOR_PROOF)],
    ]),
    ...SIGNING_VECTORS.map(({ name, body, verdict }) =>
      folded(
        `${name}: ${verdict}`,
        heading(3, name, `vector-${name.replaceAll(/[^a-z0-9]+/gi, '-')}`),
        codeBlock('json', body, `Body: ${name}`),
        prose(m`Verdict: **${verdict}**.`),
      ),
    ),
    prose(m`The full set is in the repository under \`test/vectors\`, where all of it is run against the service.`),
  ];
}
