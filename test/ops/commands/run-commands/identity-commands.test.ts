import { expect } from 'chai';
import { openDatabase } from '../../../support/engines.ts';
import { openEngine } from '../../../support/open-engine.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { NOW, run } from '../run.ts';

describe('commands on identities', () => {
  const database = useFixture(openDatabase);
  const engine = useFixture(() => openEngine(database().connection, () => NOW));

  const accounts = () => engine().accounts;

  async function create(codename: string): Promise<number> {
    const { operator } = JSON.parse((await run(database(), ['operator', 'create', codename, '--json'])).out);
    return operator;
  }

  it('suspend and restore an operator', async () => {
    const operator = await create('held-one');
    expect((await run(database(), ['operator', 'suspend', 'Held-One'])).out).to.match(/^Suspended held-one/);
    expect(await accounts().byOperator(operator)).to.include({ suspended: true });
    expect((await run(database(), ['operator', 'restore', 'held-one'])).status).to.equal(0);
    expect(await accounts().byOperator(operator)).to.include({ suspended: false });
    expect((await run(database(), ['operator', 'suspend', 'unknown-name'])).status).to.equal(1);
  });

  it('grant, list and revoke the moderator role, each with an audit entry', async () => {
    const operator = await create('careful-reader');
    expect((await run(database(), ['moderator', 'list'])).out).to.equal('');
    expect((await run(database(), ['moderator', 'grant', 'Careful-Reader'])).out).to.match(
      /^careful-reader may decide/,
    );
    expect((await run(database(), ['moderator', 'list'])).out).to.equal('careful-reader\n');
    expect(await accounts().byOperator(operator)).to.include({ moderator: true });
    expect((await run(database(), ['moderator', 'revoke', 'careful-reader'])).status).to.equal(0);
    expect(await accounts().moderators()).to.deep.equal([]);
    const kinds = (await accounts().audit.list(operator, 10)).map(({ kind }) => kind);
    expect(kinds.slice(0, 2)).to.have.members(['moderator_granted', 'moderator_revoked']);
    expect((await run(database(), ['moderator', 'grant', 'unknown-name'])).status).to.equal(1);
  });

  it('add a new signing key to the published ones', async () => {
    const before = (await accounts().jwks()).keys.map(({ kid }) => kid);
    const { kid } = JSON.parse((await run(database(), ['keys', 'rotate', '--json'])).out);
    expect((await run(database(), ['keys', 'list'])).out).to.equal(
      [kid, ...before].map((each) => `${each}\n`).join(''),
    );
  });
});
