import type { Config } from '../../../config/config.ts';
import { toolCommand } from '../../tool.ts';
import { m } from '../render/inline.ts';
import { codeBlock, type Part, steps } from '../render/parts.ts';

type Addressed = Pick<Config, 'baseUrl' | 'siteUrl' | 'cliPackage'>;

/** Shows a visitor its rank: one command, which submits nothing. */
export function dryRun(config: Addressed): Part {
  return codeBlock('sh', `${toolCommand(config)} --dry-run${serviceOf(config)}`, 'Command: see your rank');
}

/** The package of a site knows its service; one that was published elsewhere has to be given it, until the sign-in. */
function serviceOf({ cliPackage, baseUrl }: Addressed): string {
  return cliPackage === null ? '' : ` --base-url ${baseUrl}`;
}

/** How to submit with the official tool, which `npx` runs without installing it. */
export function firstSteps(config: Addressed): Part {
  const tool = toolCommand(config);
  return steps(
    [
      m`See what is in your logs: four totals, exactly as they would be sent. A dry run submits nothing; it only asks where their Yield would stand.${config.cliPackage === null ? m` With \`--allow-remote=root\` npm takes a package from an address; nothing runs as root.` : ''}`,
      codeBlock('sh', `${tool} --dry-run${serviceOf(config)}`, 'Command: dry run'),
    ],
    [
      m`Sign in. The tool opens [the sign-in page](login:/login), or shows a code if there is no browser. Your first sign-in creates an operator with a codename that you can change.`,
      codeBlock('sh', `${tool} login${serviceOf(config)}`, 'Command: sign in'),
    ],
    [
      m`Submit. The tool signs the four totals with this machine’s key, sends them and shows your rank.`,
      codeBlock('sh', tool, 'Command: submit'),
    ],
  );
}

/** The same steps from a copy of the repository, against a local service. */
export function firstStepsFromSource(): Part {
  return steps(
    [
      m`Start the service. Then, in another terminal, run the tool to see what is in your logs.`,
      codeBlock('sh', 'npm start\nnpm run -s upsilon -- --dry-run', 'Commands: start and dry run'),
    ],
    [
      m`Sign in (a local copy offers a development sign-in). Or create an operator from the command line and give the tool its token in **UPSILON_TOKEN**.`,
      codeBlock(
        'sh',
        'npm run -s upsilon -- login\nnpm run -s ops -- operator create YOUR-CODENAME --token-only',
        'Commands: sign in, or create an operator',
      ),
    ],
    [m`Submit.`, codeBlock('sh', 'npm run -s upsilon', 'Command: submit')],
  );
}
