import type { Methodology } from '../../../config/methodologies/index.ts';
import { printJson, type Surroundings } from '../surroundings.ts';
import { requireMethodology } from './require-methodology.ts';

interface DiffRequest {
  readonly one: number;
  readonly other: number;
  readonly json?: boolean;
}

/** What a methodology says, by the name of what it says it of. */
function statements({ formula, eligibility, tiers, notes }: Methodology): ReadonlyMap<string, string> {
  return new Map([
    ['formula', formula],
    ...Object.entries(eligibility).map(([name, value]): [string, string] => [`eligibility.${name}`, String(value)]),
    ...tiers.map(({ name, from }): [string, string] => [`tiers.${name}`, `from ${from}`]),
    ['notes', notes],
  ]);
}

/** Prints in what two methodologies differ. Needs no service. */
export function diffMethodologies(surroundings: Surroundings, { one, other, json }: DiffRequest): void {
  const [former, latter] = [statements(requireMethodology(one)), statements(requireMethodology(other))];
  const names = [...new Set([...former.keys(), ...latter.keys()])];
  const differences = names
    .map((of) => ({ of, [one]: former.get(of) ?? null, [other]: latter.get(of) ?? null }))
    .filter((difference) => difference[one] !== difference[other]);
  if (json === true) {
    printJson(surroundings, { one, other, differences });
    return;
  }
  if (differences.length === 0) surroundings.print(`Methodologies ${one} and ${other} do not differ.\n`);
  for (const { of, ...values } of differences) {
    surroundings.print(`${of}\n  - ${values[one] ?? '(nothing)'}\n  + ${values[other] ?? '(nothing)'}\n`);
  }
}
