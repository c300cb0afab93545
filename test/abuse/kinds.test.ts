import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createCaseTable } from './support/case-table.ts';

/** Each kind of attack that was tried from outside, and the tests that make it: a file below `test`, and the title of one of its tests. */
const KINDS: readonly (readonly [kind: string, file: string, title: string])[] = [
  // Integrity, used against people.
  ['copy a rival, so that it is found', 'engine/ranking/integrity/check-integrity', 'and not what is copied'],
  ['accuse a rival by reports', 'engine/integrity/cases/create-cases/queue', 'once a reporter and row, ten a day'],
  [
    'live on a decision beyond what was seen',
    'engine/integrity/cases/create-cases/queue',
    'open again for a finding beyond',
  ],
  ['bury moderators in appeals', 'engine/integrity/cases/create-cases/appeals', 'wait once, whichever case'],
  ['appeal again and again', 'engine/integrity/cases/create-cases/appeals', 'rest for 30 days'],
  ['decide in a matter of its own', 'engine/integrity/cases/create-cases/decisions', 'about the own row'],
  ['compute totals of others from ratios', 'engine/contract/unranked', 'so that no sum with cache writes is public'],
  // What strangers write, and people or programs read.
  ['names of apps, devices and tokens', 'abuse/display-names', 'names of apps, devices and tokens'],
  ['the name of the product', 'abuse/registered-apps', 'under the name of the product'],
  ['names and logs on a terminal', 'cli/output/screen', 'escapes everything that terminals read'],
  ['text of a service on a terminal', 'cli/net/client', 'removes control characters'],
  ['formulas in tables of the tool', 'cli/views/usage-report', 'is CSV with the same members as JSON'],
  ['formulas in a sold table', 'api/premium/routes', 'in which no name is a formula'],
  ['scripts in pages', 'api/html', 'escapes texts, in elements and in quoted attributes'],
  ['headers and operators in fields', 'abuse/injection', 'ignores operators in the names of parameters'],
  ['secrets in the log', 'ops/runtime/telemetry/create-logger', 'hides every header that a route takes or sets'],
  // Roles, tokens and sign-in.
  ['operations of a foreign app', 'abuse/registered-apps', 'cannot erase, rename, enrol or revoke'],
  ['operations of an automation token', 'abuse/automation-tokens', 'every other operation refuses them'],
  ['forged tokens and keys', 'abuse/signatures', 'refuses a token: '],
  ['replayed and forged snapshots', 'abuse/signatures', 'counts a replayed snapshot once'],
  ['redirects, codes and PKCE', 'abuse/sign-in', ' gets no code'],
  ['a refresh token used again', 'abuse/sign-in', 'a refresh token that was used twice'],
  ['tickets of consent', 'abuse/consent-tickets', 'are accepted only for the request that they were issued for'],
  ['forms of other sites', 'abuse/sign-in', 'CSRF: '],
  ['a session fixed beforehand', 'abuse/sign-in', 'a session fixed beforehand'],
  ['links mailed to others', 'abuse/mail-lockout', 'do not keep the owner from a link'],
  ['development sign-in from outside', 'abuse/development-sign-in', 'and neither is the outbox'],
  // Wire, hosts and limits.
  ['ambiguous requests and two hosts', 'abuse/wire', 'refuses '],
  ['slow and idle connections', 'abuse/connections', 'are gone when they '],
  ['addresses that a client invents', 'api/http/client-key', 'is the same for every address of a /64'],
  ['hosts and paths of another surface', 'api/auth/create-identity/hosts', 'serves its paths, and the others do not'],
  ['fields, queries and JSON', 'abuse/contract-fuzzer', 'as documented, whatever is sent'],
  ['pages, forms and OAuth', 'abuse/surfaces', 'never fails at '],
  ['calls of MCP', 'api/mcp/serve-mcp/protocol', 'refuses bodies that are too large, of another type, or no JSON'],
  ['floods of what is unknown', 'abuse/memory', 'does not grow'],
  ['visits over the limit', 'abuse/refused-visits', 'cause no query'],
  ['what a free account stores', 'abuse/storage', 'stores at most 500 MB'],
  // Money.
  ['a payment used again', 'api/premium/sell/paid-on-chain', 'of one payment, used again'],
  ['a payment of others', 'api/premium/sell/repeated-payment', 'returns nothing to strangers without its receipt'],
  [
    'forged webhooks',
    'api/billing/open-api-billing/subscriptions',
    'take webhooks signed with either secret, and no others',
  ],
  // The tool, and the machine.
  ['a service that decides how long to poll', 'cli/auth/sign-in', 'polls for half an hour at most'],
  ['a service that redirects', 'cli/net/client', 'never follows a redirect'],
  ['an endless response', 'cli/net/client', 'rejects a response longer than a mebibyte'],
  ['a response that drips', 'cli/net/client', 'gives up on a response that drips'],
  ['links out of the logs', 'cli/sources/claude-code/rules', 'follows no link out of the folder'],
  ['settings of other tools', 'cli/service/hooks', 'leave any settings as they were'],
  ['files of other users', 'cli/files/ownership', 'not as links'],
  ['the data folder', 'ops/local/starter/preconditions', 'is made for this user alone'],
  ['secrets at rest', 'abuse/stored-secrets', 'are encrypted when the service starts with a key'],
  ['packages that run scripts', 'architecture/lockfiles', 'runs only the install scripts that are needed'],
];

describe('abuse: kinds of attacks', () => {
  const table = createCaseTable('abuse: kinds of attacks, and where they are made');
  after(() => table.print());

  for (const [kind, file, title] of KINDS) {
    it(`are made by tests: ${kind}`, () => {
      const source = readFileSync(fileURLToPath(new URL(`../${file}.test.ts`, import.meta.url)), 'utf8');
      const titles = source.match(/\b(?:it|describe)\(\s*(['"`])[^\n]*?\1,/g) ?? [];
      expect(
        titles.some((text) => text.includes(title)),
        `${file}: ${title}`,
      ).to.equal(true);
      table.note(kind, file);
    });
  }
});
