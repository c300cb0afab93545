import { expect } from 'chai';
import { singleFlight } from '../../config/single-flight.ts';
import { useFreshFixture } from '../support/use-fixture.ts';

describe('runs of a task', () => {
  const runs = useFreshFixture<string[]>(() => []);
  const run = (name: string) => async (): Promise<string> => {
    runs().push(name);
    await new Promise(setImmediate);
    return name;
  };

  it('are joined while one with the same key is in progress', async () => {
    const flight = singleFlight<string>();
    const all = [flight(run('first'), 'a'), flight(run('second'), 'a'), flight(run('other'), 'b')];
    expect(await Promise.all(all)).to.deep.equal(['first', 'first', 'other']);
    expect(await flight(run('third'), 'a')).to.equal('third');
    expect(runs()).to.deep.equal(['first', 'other', 'third']);
  });

  it('that fail reject for all who joined, and are not kept', async () => {
    const flight = singleFlight<string>();
    const failed = flight(() => Promise.reject(new Error('no')), 'a');
    const all = await Promise.allSettled([failed, flight(run('joined'), 'a')]);
    expect(all.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(await flight(run('later'), 'a')).to.equal('later');
  });

  it('can be waited for, whatever their outcome', async () => {
    const flight = singleFlight<string>();
    let ended = false;
    const failed = flight(async () => {
      await new Promise(setImmediate);
      ended = true;
      throw new Error('no');
    }).catch(() => 'failed');
    await flight.settled();
    expect(ended).to.equal(true);
    expect(await failed).to.equal('failed');
  });
});
