import { DAY_MS } from '../../config/units.ts';
import type { ImportedOperator } from '../../engine/ranking/index.ts';
import { importedOperator } from './imported-operator.ts';
import { seededRandom } from './seeded-random.ts';

const OPERATORS = 48;
const PLATFORMS = ['claude-code', 'codex', 'opencode'] as const;

/** A constant population: 48 operators over several tiers, one without cache reads and one without input. */
export function mcpFixture(now: number): ImportedOperator[] {
  const random = seededRandom(1_984);
  const operators = Array.from({ length: OPERATORS }, (_, index): ImportedOperator => {
    const input = random.integer(200, 900);
    const counts = {
      input,
      output: Math.round(input * (0.5 + random.next() * 4)),
      cache_read: Math.round(input * 10 ** (random.next() * 2.6)),
      cache_write: random.integer(0, 500),
    };
    const asOf = now - random.integer(1, 60) * DAY_MS;
    const platform = PLATFORMS[index % PLATFORMS.length]!;
    return {
      codename: `field-${String(index).padStart(2, '0')}`,
      displayName: index === 0 ? 'Field Zero' : null,
      usage: [{ ledger: 'ledger-one', platform, epoch: 0, asOf, counts }],
    };
  });
  return [
    ...operators,
    importedOperator(
      'cacheless',
      now - DAY_MS,
      { input: 100, output: 50, cache_read: 0, cache_write: 0 },
      'claude-code',
    ),
    importedOperator(
      'inputless',
      now - DAY_MS,
      { input: 0, output: 50, cache_read: 10, cache_write: 0 },
      'claude-code',
    ),
  ];
}
