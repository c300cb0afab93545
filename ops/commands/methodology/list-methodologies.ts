import { METHODOLOGIES } from '../../../engine/ranking/methodologies/index.ts';
import { type CommandContext, printJson } from '../command-context.ts';
import { withService } from '../service.ts';

/** Prints every methodology and marks the active one. */
export async function listMethodologies(context: CommandContext, { json }: { readonly json?: boolean }) {
  await withService(context, async ({ ranking }) => {
    const { methodology: active } = await ranking.rerank.status();
    if (json === true) {
      printJson(context, { active, methodologies: [...METHODOLOGIES.values()] });
      return;
    }
    for (const { id, formula, eligibility, notes } of METHODOLOGIES.values()) {
      const conditions = Object.entries(eligibility).map(([condition, value]) => `${condition} ${value}`);
      context.print(`${id === active ? '*' : ' '} ${id}  ${formula}; ${conditions.join(', ')}\n     ${notes}\n`);
    }
    context.print('The boards use the methodology marked with a star.\n');
  });
}
