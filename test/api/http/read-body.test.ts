import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import Koa from 'koa';
import { readBody } from '../../../api/http/read-body.ts';

describe('a body that is refused', () => {
  for (const [code, type] of [
    ['media_type_unsupported', 'text/plain'],
    ['body_too_large', 'application/json'],
  ] as const) {
    it(`with ${code} is read to its end first, so that its sender reads the refusal`, async () => {
      const request = new IncomingMessage(new Socket());
      Object.assign(request, { method: 'POST', headers: { 'content-type': type, 'transfer-encoding': 'chunked' } });
      let refused: unknown = null;
      const reading = readBody(
        new Koa().createContext(request, new ServerResponse(request)),
        'application/json',
        1_000,
      );
      const caught = reading.catch((error: unknown) => (refused = error));
      for (let part = 0; part < 3; part += 1) {
        request.push(Buffer.alloc(600, ' '));
        await turn();
        expect(refused, `after part ${part}`).to.equal(null);
      }
      request.push(null);
      expect(await caught).to.include({ code });
    });
  }
});
