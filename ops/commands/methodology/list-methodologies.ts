import { METHODOLOGIES } from '../../../config/methodologies/index.ts';
import { withService } from '../service.ts';
import { printJson, type Surroundings } from '../surroundings.ts';

/** Prints every methodology, and which one makes the boards. */
export async function listMethodologies(surroundings: Surroundings, { json }: { readonly json?: boolean }) {
  await withService(surroundings, async ({ ranking }) => {
    const { methodology: active } = await ranking.rerank.status();
    if (json === true) {
      printJson(surroundings, { active, methodologies: [...METHODOLOGIES.values()] });
      return;
    }
    for (const { id, formula, eligibility, notes } of METHODOLOGIES.values()) {
      const asked = Object.entries(eligibility).map(([condition, value]) => `${condition} ${value}`);
      surroundings.print(`${id === active ? '*' : ' '} ${id}  ${formula}; ${asked.join(', ')}\n     ${notes}\n`);
    }
    surroundings.print('The boards are made by the one with the star.\n');
  });
}
