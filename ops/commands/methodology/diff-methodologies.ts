import type { Methodology } from '../../../engine/ranking/methodologies/index.ts';
import { type CommandContext, printJson } from '../command-context.ts';
import { requireMethodology } from './require-methodology.ts';

interface DiffRequest {
  readonly one: number;
  readonly other: number;
  readonly json?: boolean;
}

/** The properties of a methodology as text, by name. */
function propertiesOf({ formula, eligibility, tiers, notes }: Methodology): ReadonlyMap<string, string> {
  return new Map([
    ['formula', formula],
    ...Object.entries(eligibility).map(([name, value]): [string, string] => [`eligibility.${name}`, String(value)]),
    ...tiers.map(({ name, from }): [string, string] => [`tiers.${name}`, `from ${from}`]),
    ['notes', notes],
  ]);
}

/** Prints the differences between two methodologies. Needs no running service. */
export function diffMethodologies(context: CommandContext, { one, other, json }: DiffRequest): void {
  const [former, latter] = [propertiesOf(requireMethodology(one)), propertiesOf(requireMethodology(other))];
  const names = [...new Set([...former.keys(), ...latter.keys()])];
  const differences = names
    .map((of) => ({ of, [one]: former.get(of) ?? null, [other]: latter.get(of) ?? null }))
    .filter((difference) => difference[one] !== difference[other]);
  if (json === true) {
    printJson(context, { one, other, differences });
    return;
  }
  if (differences.length === 0) context.print(`Methodologies ${one} and ${other} do not differ.\n`);
  for (const { of, ...values } of differences) {
    context.print(`${of}\n  - ${values[one] ?? '(nothing)'}\n  + ${values[other] ?? '(nothing)'}\n`);
  }
}
