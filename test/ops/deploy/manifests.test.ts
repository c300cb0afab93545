import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { loadServiceConfig } from '../../../config/config.ts';
import { LIMITS } from '../../../config/limits.ts';
import { parseRedisClusterUrl } from '../../../config/redis-address.ts';
import { SERVICE_NODE_ARGS } from '../../../ops/local/starter/services.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const DEPLOY = join(ROOT, 'ops/deploy');
const KUBERNETES = join(DEPLOY, 'kubernetes');
const MS_PER_SECOND = 1_000;

const TEXTS = z.record(z.string(), z.string());
const OBJECT = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});
const PROBE = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) });
const DEPLOYMENT = OBJECT.extend({
  kind: z.literal('Deployment'),
  spec: z.object({
    selector: z.object({ matchLabels: TEXTS }),
    template: z.object({
      metadata: z.object({ labels: TEXTS, annotations: TEXTS }),
      spec: z.object({
        terminationGracePeriodSeconds: z.int(),
        containers: z.tuple([
          z.object({
            command: z.array(z.string()).optional(),
            ports: z.array(z.object({ name: z.string(), containerPort: z.int() })),
            startupProbe: PROBE,
            livenessProbe: PROBE,
            readinessProbe: PROBE.optional(),
          }),
        ]),
      }),
    }),
  }),
});
const COMPOSE = z.object({
  services: z.record(
    z.string(),
    z.looseObject({ environment: TEXTS.optional(), command: z.array(z.string()).optional() }),
  ),
});

const read = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8');

function objects(): z.infer<typeof OBJECT>[] {
  const files = readdirSync(KUBERNETES).filter((name) => name !== 'kustomization.yaml');
  return files.flatMap((name) =>
    parseAllDocuments(read(join('kubernetes', name))).map((document) => {
      expect(document.errors, name).to.deep.equal([]);
      return OBJECT.parse(document.toJS());
    }),
  );
}

const deployments = () =>
  objects().flatMap((object) => (object.kind === 'Deployment' ? [DEPLOYMENT.parse(object)] : []));

describe('deployment files', () => {
  it('of Kubernetes name every file but the secret, and each object once', () => {
    const { resources } = z
      .object({ resources: z.array(z.string()) })
      .parse(parse(read('kubernetes/kustomization.yaml')));
    const files = readdirSync(KUBERNETES).filter(
      (name) => !['kustomization.yaml', 'secret.example.yaml'].includes(name),
    );
    expect(resources.toSorted()).to.deep.equal(files.toSorted());
    const names = objects().map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).to.equal(names.length);
    expect(deployments()).to.have.length(2);
  });

  it('give processes settings that they accept', () => {
    const settings = objects().flatMap((object) =>
      Object.entries(TEXTS.parse(object['data'] ?? object['stringData'] ?? {})),
    );
    const config = loadServiceConfig({ ...Object.fromEntries(settings), HOST: '0.0.0.0', NODE_ENV: 'production' });
    expect(config.signIn.development).to.equal(false);
    const known = readFileSync(join(ROOT, 'config/env.ts'), 'utf8');
    const composed = Object.keys(
      COMPOSE.parse(parse(read('compose.yaml'), { merge: true })).services['api']?.environment ?? {},
    );
    for (const name of [...settings.map(([setting]) => setting), ...composed])
      expect(known, name).to.include(`  ${name}: `);
  });

  it('name a Redis Cluster as processes take it', () => {
    const { services } = COMPOSE.parse(parse(read('compose.redis-cluster.yaml'), { merge: true }));
    const urls = [services['api'], services['worker']].map((service) => service?.environment?.['REDIS_URL'] ?? '');
    for (const url of urls) {
      const cluster = parseRedisClusterUrl(url.replace('${REDIS_PASSWORD:?}', 'sesame'));
      expect(cluster?.nodes.map(({ host }) => host)).to.deep.equal(['redis', 'redis-2', 'redis-3']);
      for (const { host } of cluster?.nodes ?? []) expect(services[host]?.environment?.['NODE_NAME']).to.equal(host);
      expect(cluster?.password).to.equal('sesame');
    }
    expect(urls).to.have.length(2);
    const kubernetes = objects().find(({ kind }) => kind === 'Secret');
    const { REDIS_URL = '' } = TEXTS.parse(kubernetes?.['stringData']);
    expect(parseRedisClusterUrl(REDIS_URL)).to.deep.include({ tls: true, username: 'upsilon', password: 'secret' });
  });

  it('look at ports and paths that are there', () => {
    const probes = readFileSync(join(ROOT, 'api/health/probes.ts'), 'utf8');
    const config = loadServiceConfig({ MONGODB_URL: 'mongodb://mongo', REDIS_URL: 'redis://redis' });
    const expected: Record<string, readonly number[]> = {
      api: [config.port, config.metricsPort],
      worker: [config.workerMetricsPort],
    };
    for (const { metadata, spec } of deployments()) {
      const { template } = spec;
      const [container] = template.spec.containers;
      expect(container.ports.map(({ containerPort }) => containerPort)).to.deep.equal(expected[metadata.name]);
      const metrics = container.ports.find(({ name }) => name === 'metrics')?.containerPort;
      expect(template.metadata.annotations['prometheus.io/port']).to.equal(String(metrics));
      expect(template.metadata.labels).to.deep.equal(spec.selector.matchLabels);
      for (const { httpGet } of [
        container.startupProbe,
        container.livenessProbe,
        container.readinessProbe ?? container.livenessProbe,
      ]) {
        expect(container.ports.map(({ name }) => name)).to.include(httpGet.port);
        if (httpGet.path !== '/metrics') expect(probes).to.include(`path: '${httpGet.path}'`);
      }
    }
  });

  it('give processes the time that they take to close', () => {
    for (const { spec } of deployments()) {
      expect(spec.template.spec.terminationGracePeriodSeconds * MS_PER_SECOND).to.be.above(
        LIMITS.shutdown.processMs + 5_000,
      );
    }
  });

  it('start programs that exist, with the arguments that npm start gives them', () => {
    const starts = [
      ...deployments().flatMap(({ spec }) => spec.template.spec.containers[0].command ?? []),
      ...(COMPOSE.parse(parse(read('compose.yaml'), { merge: true })).services['worker']?.command ?? []),
      ...z.array(z.string()).parse(JSON.parse(/^CMD (.*)$/m.exec(read('Containerfile'))?.[1] ?? '[]')),
    ];
    const programs = starts.flatMap((word, at) => (word.endsWith('.mjs') ? [[word, starts[at + 1]]] : []));
    expect(programs).to.deep.equal(['worker', 'worker', 'api'].map((role) => ['ops/bootstrap/service.mjs', role]));
    expect(existsSync(join(ROOT, 'ops/bootstrap/service.mjs'))).to.equal(true);
    const { api, worker } = SERVICE_NODE_ARGS;
    expect(starts.filter((word) => word.startsWith('--'))).to.deep.equal([...worker, ...worker, ...api]);
  });
});
