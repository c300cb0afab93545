import { expect } from 'chai';
import { createPreparedCalls } from '../../../api/mcp/prepared-calls.ts';

const call = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'get_leaderboard', arguments: {} },
});

const readNothing = async () => new Response('{"id":"the-id-of-the-request"}');

describe('prepared calls', () => {
  const cases = [
    ['a refusal of the tool', 200, (id: string) => `{"id":${id},"result":{"isError":true}}`],
    ['an error of the protocol', 400, (id: string) => `{"id":${id},"error":{"code":-32602}}`],
    ['an error that has no id', 400, () => '{"id":null,"error":{"code":-32600}}'],
  ] as const;
  for (const [what, status, bodyOf] of cases) {
    it(`run the server once for ${what}, and do not keep it`, async () => {
      let runs = 0;
      const prepare = createPreparedCalls({ generation: () => 'first', clock: () => 0 });
      const read = async (message: unknown): Promise<Response> => {
        runs += 1;
        const { id } = Object(message);
        return new Response(bodyOf(JSON.stringify(id)), { status, headers: { 'content-type': 'application/json' } });
      };
      for (const id of [7, 8]) {
        const answer = await prepare(call(id), {}, read);
        expect(answer).to.deep.include({ status, body: bodyOf(String(id)) });
      }
      expect(runs).to.equal(2);
    });
  }

  it('run the server again for other headers, another board, and an answer of half a minute ago', async () => {
    let [now, board, runs] = [0, 'first', 0];
    const prepare = createPreparedCalls({ generation: () => board, clock: () => now });
    const read = async (message: unknown): Promise<Response> => {
      runs += 1;
      return new Response(JSON.stringify({ id: Object(message).id, result: { run: runs } }));
    };
    const runOf = async (headers: Record<string, string> = {}) => {
      const answer = await prepare(call(1), headers, read);
      return JSON.parse(answer!.body).result.run;
    };
    expect([await runOf(), await runOf()]).to.deep.equal([1, 1]);
    expect(await runOf({ accept: 'text/event-stream' })).to.equal(2);
    now += 29_999;
    expect(await runOf()).to.equal(1);
    now += 1;
    expect(await runOf()).to.equal(3);
    board = 'second';
    expect(await runOf()).to.equal(4);
  });

  it('are of the whole board alone: other tools, and boards of leagues, are asked each time', async () => {
    const prepare = createPreparedCalls({ generation: () => 'first', clock: () => 0 });
    const { params } = call(1);
    for (const other of [
      { ...params, name: 'get_operator' },
      { ...params, arguments: { league: 'a-team' } },
      { ...params, arguments: { league: null } },
    ]) {
      expect(await prepare({ ...call(1), params: other }, {}, readNothing), JSON.stringify(other)).to.equal(null);
    }
  });
});
