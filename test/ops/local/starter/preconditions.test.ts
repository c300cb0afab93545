import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadConfig } from '../../../../config/config.ts';
import { freePort } from '../../../../ops/local/free-port.ts';
import { prepareDataDir, requirePorts } from '../../../../ops/local/starter/preconditions.ts';

describe('before anything is started', () => {
  it('every port of the api, of its metrics and of those of each worker is tried', async () => {
    const first = await freePort(4);
    const config = { ...loadConfig({ PORT: String(first), METRICS_PORT: String(first + 1) }), workers: 2 };
    const servers: Server[] = [];
    const refusal = (): Promise<string> => requirePorts(config).then(() => 'none', String);
    try {
      expect(await refusal()).to.equal('none');
      for (const port of [first + 3, first + 2, first + 1, first]) {
        const server = createServer().listen(port, config.host);
        servers.push(server);
        await once(server, 'listening');
        const refused = await refusal();
        expect(refused.match(/port \d+ of \S+ is in use/g), refused).to.have.length(servers.length);
        expect(refused)
          .to.match(/^StartError/)
          .and.to.include(`port ${port} of`);
      }
    } finally {
      for (const server of servers) server.close();
    }
  });

  it('processes of a killed run get time to free their ports', async () => {
    const port = await freePort(3);
    const config = { ...loadConfig({ PORT: String(port), METRICS_PORT: String(port + 1) }), workers: 1 };
    const server = createServer().listen(port, config.host);
    await once(server, 'listening');
    const required = requirePorts(config, 60_000);
    const before = await Promise.race([required.then(() => 'free'), requirePorts(config).catch(() => 'in use')]);
    expect(before).to.equal('in use');
    server.close();
    await required;
  });

  it('the data folder is made for this user alone', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'upsilon-data-'));
    try {
      await prepareDataDir(join(parent, 'data'));
      expect((await stat(join(parent, 'data'))).mode & 0o777).to.equal(0o700);
      await writeFile(join(parent, 'file'), '');
      expect(await prepareDataDir(join(parent, 'file')).catch(String)).to.include('cannot be used (it is a file)');
    } finally {
      await rm(parent, { recursive: true });
    }
  });
});
