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
      m`Reading needs only a request. Submitting needs an operator, a device key, and the official tool, which does the rest.`,
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
      m`Responses are cached at the edge for some seconds, so polling more often returns nothing new. Send the **ETag** back as **If-None-Match**, and the response for an unchanged board is a 304.`,
      m`Ignore members that you do not know: members may be added within a version.`,
      m`Honour 429 and Retry-After: see [rate limits](site:/developers/rate-limits).`,
    ),
    heading(2, 'Submit'),
    firstSteps(),
    folded('From a copy of the repository', firstStepsFromSource()),
    prose(
      m`The tool reads the logs that AI tools keep on your machine, counts four kinds of tokens, signs the totals with a key of this device and sends them. No prompt, code or conversation leaves the machine. [The signed layout](site:/developers/signing) describes what is signed, and how.`,
    ),
    heading(2, 'What the response means'),
    bullets(
      m`\`accepted: true\` with a **rank**: the snapshot was counted; **rank** is the rank of the new Yield on the current board.`,
      m`\`accepted: true, rank: null, verdict: "pending"\`: the snapshot was logged, and its verdict follows in a moment; request the given address again.`,
      m`\`accepted: false\` with a **reason**: the snapshot was logged and refused; [the error codes](site:/developers/errors) list the reasons.`,
    ),
    heading(2, 'There is no sandbox'),
    prose(
      m`Integrate against the public reads and \`--dry-run\`. No placeholder keys are published, and none are needed.`,
    ),
  ],
};
