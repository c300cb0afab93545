import { firstSteps, firstStepsFromSource } from '../pages/first-steps.ts';
import { m } from '../render/inline.ts';
import { bullets, codeBlock, folded, heading, lede, prose } from '../render/parts.ts';
import type { Guide } from './guide.ts';

export const gettingStarted: Guide = {
  slug: 'getting-started',
  title: 'Getting started',
  about: 'Read the board without a key, and submit your first snapshot with the official tool.',
  parts: ({ baseUrl }) => [
    lede(
      m`Reading takes nothing but a request. Writing takes an operator, a device key, and the official tool, which does the rest.`,
    ),
    heading(2, 'Read'),
    prose(m`The board, the profiles and the histories are public. There are no API keys.`),
    codeBlock(
      'sh',
      [
        `curl '${baseUrl}/leaderboard?window=7d&limit=10'`,
        `curl '${baseUrl}/operators/CODENAME'`,
        `curl '${baseUrl}/operators/CODENAME/history?window=30d'`,
      ].join('\n'),
      'Commands: read',
    ),
    bullets(
      m`Answers are cached at the edge for some seconds, so polling more often shows nothing new. Send the **ETag** back as **If-None-Match** and an unchanged board costs a 304.`,
      m`Tolerate members that you do not know: they may be added within a version.`,
      m`Honour 429 and Retry-After: see [rate limits](site:/developers/rate-limits).`,
    ),
    heading(2, 'Submit'),
    firstSteps(),
    folded('From a copy of the repository', firstStepsFromSource()),
    prose(
      m`The tool reads the logs that AI tools keep on your machine, counts four kinds of tokens, signs the totals with a key of this device and sends them. No prompt, code or conversation leaves the machine. What is signed, and how, is told in [the signed layout](site:/developers/signing).`,
    ),
    heading(2, 'What the answer says'),
    bullets(
      m`\`accepted: true\` with a **rank**: counted, and this is where the new Yield stands on the current board.`,
      m`\`accepted: true, rank: null, verdict: "pending"\`: logged, and judged in a moment; ask again at the address that is given.`,
      m`\`accepted: false\` with a **reason**: logged and refused; the reasons are listed with [the error codes](site:/developers/errors).`,
    ),
    heading(2, 'There is no sandbox'),
    prose(
      m`Integrate against the public reads and \`--dry-run\`. No placeholder keys are published, and none are needed.`,
    ),
  ],
};
