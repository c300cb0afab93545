import { expect } from 'chai';
import { freshFlight, singleFlight } from '../../config/single-flight.ts';
import { useFreshFixture } from '../support/use-fixture.ts';

/** A task whose runs the test ends. */
function steps() {
  const open: { end(error?: Error): void }[] = [];
  let most = 0;
  let now = 0;
  const run = freshFlight(async () => {
    most = Math.max(most, (now += 1));
    await new Promise<void>((resolve, reject) => {
      open.push({ end: (error) => (error === undefined ? resolve() : reject(error)) });
    }).finally(() => (now -= 1));
  });
  return { run, open, most: () => most };
}
const turn = () => new Promise(setImmediate);

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

describe('runs of a task that begin after the call', () => {
  it('are shared by the calls during the run before, which they wait for', async () => {
    const { run, open, most } = steps();
    const ended: string[] = [];
    const call = (name: string) => run().then(() => void ended.push(name));
    const all = [call('first'), call('second'), call('third')];
    await turn();
    expect([open.length, ended]).to.deep.equal([1, []]);
    open[0]!.end();
    await turn();
    all.push(call('fourth'));
    expect([open.length, ended]).to.deep.equal([2, ['first']]);
    open[1]!.end();
    await turn();
    expect([open.length, ended]).to.deep.equal([3, ['first', 'second', 'third']]);
    open[2]!.end();
    await Promise.all(all);
    expect([open.length, most()]).to.deep.equal([3, 1]);
  });

  it('never overlap, whenever they are asked for, and go on after one that failed', async () => {
    const { run, open, most } = steps();
    const failed = run().catch(String);
    const later = run();
    open[0]!.end(new Error('no'));
    for (let asked = 0; asked < 6; asked += 1) {
      await Promise.resolve();
      void run();
    }
    expect(await failed).to.equal('Error: no');
    const settled = run.settled();
    for (let index = 1; index < 4; index += 1) {
      await turn();
      open[index]?.end();
    }
    await Promise.all([later, settled]);
    expect([most(), open.length]).to.deep.equal([1, 3]);
  });
});
