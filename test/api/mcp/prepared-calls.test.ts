import { expect } from 'chai';
import { createPreparedCalls } from '../../../api/mcp/prepared-calls.ts';

const call = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'get_leaderboard', arguments: {} },
});

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
});
