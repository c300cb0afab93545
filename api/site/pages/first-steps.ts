import { m } from '../render/inline.ts';
import { codeBlock, type Part, steps } from '../render/parts.ts';

/** How to get onto the board with the official tool, which npm runs without installing it. */
export function firstSteps(): Part {
  return steps(
    [
      m`Look at what your own logs hold: four totals, shown as they would be sent. Nothing is sent, and nothing is written.`,
      codeBlock(
        'sh',
        (to) => `export UPSILON_BASE_URL=${to.far('base:/').replace(/\/$/, '')}\nnpx upsilon --dry-run`,
        'Commands: dry run',
      ),
    ],
    [
      m`Sign in. The tool opens [the sign-in page](login:/login), or shows a code where there is no browser; the first sign-in makes your operator, with a codename that you can change.`,
      codeBlock('sh', 'npx upsilon login', 'Command: sign in'),
    ],
    [
      m`Submit. The tool signs the four totals with a key of this machine, sends them, and tells your rank.`,
      codeBlock('sh', 'npx upsilon', 'Command: submit'),
    ],
  );
}

/** The same from a copy of the repository, for those who run the service on their own machine. */
export function firstStepsFromSource(): Part {
  return steps(
    [
      m`Start the service, and look at what your logs hold from another terminal.`,
      codeBlock('sh', 'npm start\nnpm run -s upsilon -- --dry-run', 'Commands: start and dry run'),
    ],
    [
      m`Sign in, where a local copy offers a development sign-in, or make an operator by command and give the tool its token as **UPSILON_TOKEN**.`,
      codeBlock(
        'sh',
        'npm run -s upsilon -- login\nnpm run -s ops -- operator create YOUR-CODENAME --json',
        'Commands: sign in, or make an operator',
      ),
    ],
    [m`Submit.`, codeBlock('sh', 'npm run -s upsilon', 'Command: submit')],
  );
}
