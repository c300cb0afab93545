import { DAY_MS } from '../../../config/units.ts';
import { MAX_SNAPSHOT_AGE_MS } from '../../../engine/contract/signing/index.ts';
import { windowDaysList } from '../../../engine/contract/windows.ts';
import { firstSteps, firstStepsFromSource } from '../pages/first-steps.ts';
import { m } from '../render/inline.ts';
import { bullets, codeBlock, folded, heading, lede, type Part, prose } from '../render/parts.ts';
import { TOOL_FILE, TOOL_REF, type Tool } from '../tool.ts';
import type { Guide } from './guide.ts';

export const gettingStarted: Guide = {
  slug: 'getting-started',
  title: 'Getting started',
  about: 'Read the board without an API key, and submit your first snapshot with the official tool.',
  parts: (config, tool) => [
    lede(m`Reading needs no account. To submit you need an operator and a device key; the official tool sets up both.`),
    heading(2, 'Read'),
    prose(m`The board, profiles and histories are public. There are no API keys.`),
    codeBlock(
      'sh',
      [
        `curl '${config.baseUrl}/leaderboard?window=7d&limit=10'`,
        `curl '${config.baseUrl}/operators/CODENAME'`,
        `curl '${config.baseUrl}/operators/CODENAME/history?window=30d'`,
      ].join('\n'),
      'Commands: read',
    ),
    bullets(
      m`Responses are cached for a few seconds, so polling more often returns nothing new. Send the **ETag** back as **If-None-Match** to get a 304 while the board is unchanged.`,
      m`Ignore fields you do not recognise: new fields may be added within a version.`,
      m`After a 429, wait as long as Retry-After says: see [rate limits](site:/developers/rate-limits).`,
    ),
    heading(2, 'Submit'),
    firstSteps(config),
    ...(config.cliPackage === null ? toolDigest(tool) : []),
    folded('From a copy of the repository', firstStepsFromSource()),
    heading(2, 'What leaves your machine'),
    prose(
      m`The tool reads the logs that AI tools keep on your machine, counts four kinds of tokens, signs the totals with this machine’s key and sends them. No prompt, code, path, host name or conversation leaves your machine. \`--dry-run\` shows every request byte for byte, and [the signed layout](site:/developers/signing) describes what is signed and how.`,
    ),
    bullets(
      m`For each AI tool: its four totals, its name (**platform**) and your codename.`,
      m`In the signed header: the id of the key, a random id of the snapshot, the time, a random id for the ledger on your machine (**stream**), how often it was recounted (**epoch**) and the version of the tool.`,
      m`Once, with your first submission: for each AI tool, the totals at the end of each of the last ${MAX_SNAPSHOT_AGE_MS / DAY_MS} days on which they grew, so that the boards of ${windowDaysList('and')} days are right from the start. They reveal on which days you were active. \`--no-history\` leaves them out; your first totals then count in full in each of these windows until they are older.`,
      m`Once: the public half of the key, with a proof that you hold the private half.`,
    ),
    heading(2, 'What the response means'),
    bullets(
      m`\`accepted: true\` with a **rank**: the snapshot counts, and **rank** is your new rank on the current board.`,
      m`\`accepted: true, rank: null, verdict: "pending"\`: the snapshot is stored, and its verdict follows in a moment: request the address in the response again.`,
      m`\`accepted: false\` with a **reason**: the snapshot was stored but refused. [Error codes](site:/developers/errors) lists the reasons.`,
    ),
    heading(2, 'There is no sandbox'),
    prose(m`Build against the public reads and \`--dry-run\`. There are no test keys, and you do not need any.`),
  ],
};

/** The version that the site offers, and how to compare its digest before running it. */
function toolDigest({ version, sha512 }: Omit<Tool, 'body'>): Part[] {
  return [
    prose(
      m`The package is [${TOOL_FILE}](${TOOL_REF}), version ${version} of the tool. It has no dependencies: nothing is fetched from a registry, and its SHA-512 digest covers everything that runs. To compare the digest before you run it:`,
    ),
    codeBlock(
      'sh',
      (to) =>
        `curl -O ${to.far(TOOL_REF)}\necho "${sha512}  ${TOOL_FILE}" | sha512sum -c\nnpx ./${TOOL_FILE} --dry-run`,
      'Commands: compare the digest',
    ),
  ];
}
