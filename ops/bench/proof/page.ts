import type { BenchRun } from '../frame/run-bench.ts';
import { figureCells } from '../frame/text-table.ts';

/** One part of the proof. */
export interface ProofPart {
  /** Its argument of the command, and the heading of its section. */
  readonly name: string;
  /** What the figures are, and how they are measured, in sentences. */
  readonly method: string;
  /** The command that measures it alone. */
  readonly command: string;
}

const INTRODUCTION = `# Proof

Each figure was measured on the machine that its section names, which ran both databases, the service and its clients. \`npm run proof\` measures
and writes the page, for about 40 minutes on two idle cores; \`npm run proof -- NAME …\` renews some sections. A limit is a bound of the ratio
where there is one, otherwise of the value. Ratios are to something that was measured in the same run, in alternating rounds.
\`npm run bench -- NAME --against=COMMIT\` compares with a commit in the same way.
`;

/** The page's text: the sections of parts with a run are new, the others remain as on the former page. */
export function renderPage(former: string, parts: readonly ProofPart[], runs: ReadonlyMap<string, BenchRun>): string {
  const sections = parts.map((part) => {
    const run = runs.get(part.name);
    return run === undefined ? formerSection(former, part) : sectionOf(part, run);
  });
  return [INTRODUCTION, ...sections].join('\n');
}

function sectionOf(part: ProofPart, { figures, date, commit, machine }: BenchRun): string {
  const when = `${date.slice(0, 10)}, at ${commit}, on ${machine}`;
  const head = [line(['figure', 'value', 'ratio', 'limit', '']), '|---|--:|---|--:|---|'];
  return [
    headOf(part),
    `\`${part.command}\`, ${when}.`,
    '',
    ...head,
    ...figures.map((one) => line(figureCells(one))),
    '',
  ].join('\n');
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const headOf = ({ name, method }: ProofPart): string => `## ${name}\n\n${method}\n`;

function formerSection(former: string, part: ProofPart): string {
  const found = former.split(/^(?=## )/m).find((section) => section.startsWith(`## ${part.name}\n`));
  return found === undefined ? `${headOf(part)}\nNot measured yet: \`${part.command}\`.\n` : `${found.trimEnd()}\n`;
}
