import { expect } from 'chai';
import { openMongo } from '../../../../engine/mongo/index.ts';
import { openRanking } from '../../../../ops/bench/frame/open-ranking.ts';
import { backdateOperators, seedPopulation } from '../../../../ops/bench/frame/seed-population.ts';
import { freshDatabase } from '../../../support/engines.ts';

/** How many pages of operators a worker reads when it first maintains the integrity of ten seeded ones. */
async function pagesWalked({ backdated }: { readonly backdated: boolean }): Promise<number> {
  const { mongoUrl } = await freshDatabase();
  const connection = await openMongo(mongoUrl);
  try {
    await seedPopulation(mongoUrl, 10);
    if (backdated) await backdateOperators(connection);
    let pages = 0;
    const failpoint = (name: string): void => {
      if (name === 'integrity.walked') pages += 1;
    };
    await openRanking(connection, { failpoint }).maintainIntegrity(async () => undefined);
    return pages;
  } finally {
    await connection.close();
  }
}

describe('a seeded population', () => {
  it('is checked and sketched by the workers', async () => {
    expect(await pagesWalked({ backdated: false })).to.equal(2);
  });

  it('leaves no check of all operators to the workers once it is marked as maintained', async () => {
    expect(await pagesWalked({ backdated: true })).to.equal(0);
  });
});
