import { m } from '../render/inline.ts';
import { codeBlock, type Part, steps } from '../render/parts.ts';

/** How to get onto the board, with the official tool from the repository. */
export function firstSteps(): Part {
  return steps(
    [
      m`Look at what your own logs hold. Nothing is sent, and nothing is written.`,
      codeBlock('sh', 'npm run -s upsilon -- --dry-run', 'Command: dry run'),
    ],
    [
      m`[Sign in](login:/login): the first sign-in makes your operator. On a machine of your own, an operator command does it.`,
      codeBlock('sh', 'npm run -s ops -- operator create YOUR-CODENAME --json', 'Command: make an operator'),
    ],
    [
      m`Give the tool your access token as **UPSILON_TOKEN**, and submit. It signs the four counts and tells your rank.`,
      codeBlock('sh', 'npm run -s upsilon -- --codename YOUR-CODENAME', 'Command: submit'),
    ],
  );
}
