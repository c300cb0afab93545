import { expect } from 'chai';
import mongoose from 'mongoose';
import { createAccounts } from '../../../../engine/accounts/index.ts';
import { freshDatabase } from '../../../support/engines.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { openAccounts } from '../open-accounts.ts';

describe('secrets of the installation', () => {
  const under = useFixture(openAccounts);

  it('are the same in every process, whichever created them', async () => {
    const processes = await Promise.all(Array.from({ length: 4 }, () => under().another()));
    const read = await Promise.all([...processes, ...processes].map((each) => each.sharedSecret('of-all')));
    expect(new Set(read).size).to.equal(1);
    expect(read[0]).to.match(/^[\w-]{43}$/);
    expect(await under().accounts.sharedSecret('of-all')).to.equal(read[0]);
    expect(await under().accounts.sharedSecret('another')).to.not.equal(read[0]);
  });

  it('are read once by a process, and written where there are none', async () => {
    const { mongoUrl } = await freshDatabase();
    const connection = mongoose.createConnection(mongoUrl, { monitorCommands: true, bufferCommands: false });
    await connection.asPromise();
    const commands: string[] = [];
    connection.getClient().on('commandStarted', ({ commandName }) => commands.push(commandName));
    const accounts = createAccounts({ connection, clock: Date.now });
    const first = await Promise.all(Array.from({ length: 20 }, () => accounts.sharedSecret('form-tokens')));
    await accounts.sharedSecret('form-tokens');
    expect(commands).to.deep.equal(['find', 'find', 'find', 'find', 'insert']);
    expect(new Set(first).size).to.equal(1);
    const later = createAccounts({ connection, clock: Date.now });
    await later.sharedSecret('form-tokens');
    expect(commands).to.deep.equal(['find', 'find', 'find', 'find', 'insert', 'find']);
    await connection.dropDatabase();
    await connection.close();
  });
});
