import { decodePaymentRequiredHeader } from '@x402/core/http';
import { PaymentRequiredV1Schema, PaymentRequiredV2Schema } from '@x402/core/schemas';
import { getDefaultAsset } from '@x402/evm';
import { expect } from 'chai';
import { privateKeyToAccount } from 'viem/accounts';
import { loadConfig } from '../../../config/config.ts';
import { PAYMENT_NETWORKS } from '../../../config/x402-networks.ts';
import { openTestApi } from '../../support/test-api.ts';
import { useFixture } from '../../support/use-fixture.ts';
import { startFacilitator } from '../../support/x402/local-facilitator.ts';
import {
  decoded,
  encoded,
  presented,
  presentedAsVersion1,
  signPayment,
  type TestPayment,
} from '../../support/x402/payments.ts';
import { scriptedFacilitator } from '../../support/x402/scripted-facilitator.ts';
import { USDC } from '../../support/x402/usdc.ts';
import { listAt } from '../conformance.ts';

const PATHS = ['/api', '/api/analytics/tiers', '/api/analytics/distribution', '/api/analytics/export'];
const PRICES = ['10000', '10000', '20000', '100000'];

const PAYEE = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const payer = privateKeyToAccount('0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a');

function premium(env: Readonly<Record<string, string>>) {
  const { premium: config } = loadConfig({ X402_PAY_TO: PAYEE, ...env });
  return config && { ...config, rpcUrl: null };
}

describe('premium: the challenge', () => {
  const facilitator = useFixture(() => startFacilitator(scriptedFacilitator()));
  const test = useFixture(() =>
    openTestApi({ settings: { premium: premium({ X402_FACILITATOR_URL: facilitator().url }) } }),
  );

  before(async () => {
    test().now = Date.now();
  });

  const seconds = (): number => Math.floor(test().now / 1_000);

  for (const [index, path] of PATHS.entries()) {
    it(`of ${path} is a problem with the challenge of version 1, and that of version 2 beside it`, async () => {
      const { status, headers, json } = await test().get(path);
      expect(status).to.equal(402);
      expect(headers.get('content-type')).to.match(/^application\/problem\+json/);
      expect(headers.get('cache-control')).to.equal('no-store');
      expect(json).to.include({ code: 'payment_required', status: 402, error: 'payment_required' });
      expect(json?.['hint']).to.include('PAYMENT-REQUIRED');
      const url = `http://upsilon.test${path}`;
      const first = PaymentRequiredV1Schema.parse(json);
      expect(first.accepts).to.have.length(1);
      expect(first.accepts[0]).to.deep.include({
        scheme: 'exact',
        network: 'base-sepolia',
        maxAmountRequired: PRICES[index],
        payTo: PAYEE,
        resource: url,
        maxTimeoutSeconds: 300,
        extra: { name: 'USDC', version: '2' },
      });
      const second = PaymentRequiredV2Schema.parse(decodePaymentRequiredHeader(headers.get('payment-required') ?? ''));
      expect(second.resource).to.include({ url });
      expect(second.accepts[0]).to.deep.equal({
        scheme: 'exact',
        network: 'eip155:84532',
        amount: PRICES[index],
        asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
        payTo: PAYEE,
        maxTimeoutSeconds: 300,
        extra: { name: 'USDC', version: '2' },
      });
      expect(second.resource.description).to.match(/Base Sepolia is a test network/);
    });
  }

  it('makes no outgoing call, is limited like other reads, and may be read by any page', async () => {
    const before = { ...facilitator().calls };
    const { headers } = await test().get('/api', { origin: 'https://elsewhere.example' });
    expect(facilitator().calls).to.deep.equal(before);
    expect(headers.get('ratelimit-policy')).to.match(/^"public"/);
    expect(headers.get('access-control-allow-origin')).to.equal('*');
    expect(headers.get('access-control-expose-headers'))
      .to.include('PAYMENT-REQUIRED')
      .and.include('X-PAYMENT-RESPONSE');
    const preflight = await test().send('/api', { method: 'OPTIONS' });
    expect(preflight.headers.get('access-control-allow-headers'))
      .to.include('PAYMENT-SIGNATURE')
      .and.include('X-PAYMENT');
  });

  it('is that of HEAD, too, without a body', async () => {
    const { status, headers, text } = await test().send('/api', { method: 'HEAD' });
    expect(status).to.equal(402);
    expect(decoded(headers.get('payment-required'))).to.include({ x402Version: 2, error: 'payment_required' });
    expect(text).to.equal('');
  });

  it('knows the tokens that the official library knows', () => {
    expect(Object.keys(PAYMENT_NETWORKS)).to.have.members(['eip155:84532', 'eip155:8453']);
    for (const network of ['eip155:84532', 'eip155:8453'] as const) {
      const { asset, ...known } = getDefaultAsset(network);
      const usdc = PAYMENT_NETWORKS[network]?.usdc;
      expect({ ...known, address: asset }).to.deep.include(usdc);
    }
  });

  describe('refuses with 400', () => {
    const cases: [what: string, headers: (payment: TestPayment) => Record<string, string>][] = [
      ['no Base64', () => ({ 'payment-signature': '%%%' })],
      ['an empty payment', () => ({ 'payment-signature': '' })],
      ['no JSON', () => presented('{')],
      ['a text', () => presented('"paid"')],
      ['a key twice', () => presented('{"x402Version":2,"x402Version":2}')],
      ['another version', (payment) => presented({ ...payment, x402Version: 3 })],
      [
        'version 1 in the header of version 2',
        (payment) => ({ 'payment-signature': presentedAsVersion1(payment)['x-payment']! }),
      ],
      ['version 2 in the header of version 1', (payment) => ({ 'x-payment': encoded(payment) })],
      ['no payload', ({ x402Version, accepted }) => presented({ x402Version, accepted })],
      ['no authorization', (payment) => presented({ ...payment, payload: { signature: payment.payload.signature } })],
      ['a short signature', (payment) => presented(changed(payment, ['payload', 'signature'], '0x1234'))],
      ['a short nonce', (payment) => presented(changed(payment, ['payload', 'authorization', 'nonce'], '0x12'))],
      ['a negative value', (payment) => presented(changed(payment, ['payload', 'authorization', 'value'], '-1'))],
      [
        'a value that is a number',
        (payment) => presented(changed(payment, ['payload', 'authorization', 'value'], 10_000)),
      ],
      [
        'a value beyond 256 bits',
        (payment) => presented(changed(payment, ['payload', 'authorization', 'value'], '9'.repeat(79))),
      ],
      [
        'a payer that is no address',
        (payment) => presented(changed(payment, ['payload', 'authorization', 'from'], 'me')),
      ],
      ['two payments', (payment) => ({ ...presented(payment), ...presentedAsVersion1(payment) })],
      ['one that is too long', (payment) => presented({ ...payment, extensions: 'x'.repeat(7_000) })],
    ];
    for (const [what, headers] of cases) {
      it(what, async () => {
        const payment = await signPayment(payer, { to: PAYEE });
        const before = { ...facilitator().calls };
        const { status, json } = await test().get('/api', headers(payment));
        expect(json).to.include({ code: 'payment_malformed', status: 400 });
        expect(status).to.equal(400);
        expect(facilitator().calls).to.deep.equal(before);
      });
    }
  });

  describe('refuses with 402 and a code, without an outgoing call,', () => {
    const cases: [what: string, code: string, payment: () => Promise<unknown>][] = [
      ['another scheme', 'payment_scheme_wrong', () => altered(['accepted', 'scheme'], 'upto')],
      ['another network', 'payment_network_wrong', () => altered(['accepted', 'network'], 'eip155:8453')],
      ['another token', 'payment_asset_wrong', () => altered(['accepted', 'asset'], PAYEE)],
      ['another payee in the offer', 'payment_payee_wrong', () => altered(['accepted', 'payTo'], payer.address)],
      [
        'another payee in what is signed alone',
        'payment_payee_wrong',
        async () => changed(await signPayment(payer, { to: payer.address }), ['accepted', 'payTo'], PAYEE),
      ],
      ['another amount in the offer alone', 'payment_amount_wrong', () => altered(['accepted', 'amount'], '9999')],
      ['too little', 'payment_amount_wrong', () => signPayment(payer, { to: PAYEE, units: 9_999n })],
      ['too much', 'payment_amount_wrong', () => signPayment(payer, { to: PAYEE, units: 10_001n })],
      [
        'the right amount in the offer alone',
        'payment_amount_wrong',
        async () => changed(await signPayment(payer, { to: PAYEE, units: 1n }), ['accepted', 'amount'], '10000'),
      ],
      [
        'a payment that has expired',
        'payment_expired',
        () => signPayment(payer, { to: PAYEE, validBefore: seconds() - 1 }),
      ],
      [
        'a payment about to expire',
        'payment_expired',
        () => signPayment(payer, { to: PAYEE, validBefore: seconds() + 3 }),
      ],
      [
        'a payment that is not valid yet',
        'payment_validity_wrong',
        () => signPayment(payer, { to: PAYEE, validAfter: seconds() + 60 }),
      ],
      [
        'a payment that is valid for a day',
        'payment_validity_wrong',
        () => signPayment(payer, { to: PAYEE, validBefore: seconds() + 86_400 }),
      ],
    ];

    for (const [what, code, payment] of cases) {
      it(what, async () => {
        const before = { ...facilitator().calls };
        const { status, json, headers } = await test().get('/api', presented(await payment()));
        expect(json).to.include({ code, status: 402, error: code });
        expect(status).to.equal(402);
        expect(json?.['detail']).to.match(
          /^The (\w+ is \S+, and should be \S+\.|payment could not be verified: \w+\.)$/,
        );
        expect(listAt(json, 'accepts')).to.have.length(1);
        expect(decoded(headers.get('payment-required'))).to.include({ x402Version: 2, error: code });
        expect(facilitator().calls).to.deep.equal(before);
      });
    }

    it('a network of any length, of which 80 characters are repeated', async () => {
      const { json } = await test().get('/api', presented(await altered(['accepted', 'network'], 'n'.repeat(256))));
      expect(json?.['detail']).to.match(/^The network is n{80}, and/);
    });

    it('but not a token for the case of its letters', async () => {
      const { json } = await test().get('/api', presented(await altered(['accepted', 'asset'], USDC.toUpperCase())));
      expect(json?.['code']).to.not.equal('payment_asset_wrong');
    });

    it('another network in version 1', async () => {
      const { payload } = await signPayment(payer, { to: PAYEE });
      const payment = { x402Version: 1, scheme: 'exact', network: 'base', payload };
      const { json } = await test().get('/api', { 'x-payment': encoded(payment) });
      expect(json).to.include({ code: 'payment_network_wrong' });
    });

    for (const [what, code, wishes] of [
      ['another payee', 'payment_payee_wrong', { to: payer.address }],
      ['too little', 'payment_amount_wrong', { to: PAYEE, units: 9_999n }],
      ['too much', 'payment_amount_wrong', { to: PAYEE, units: 10_001n }],
    ] as const) {
      it(`${what} in version 1`, async () => {
        const { json } = await test().get('/api', presentedAsVersion1(await signPayment(payer, wishes)));
        expect(json).to.include({ code });
      });
    }

    it('another scheme in version 1', async () => {
      const { payload } = await signPayment(payer, { to: PAYEE });
      const payment = { x402Version: 1, scheme: 'upto', network: 'base-sepolia', payload };
      const { json } = await test().get('/api', { 'x-payment': encoded(payment) });
      expect(json).to.include({ code: 'payment_scheme_wrong' });
    });

    it('a payment for HEAD', async () => {
      const headers = presented(await signPayment(payer, { to: PAYEE }));
      const { status } = await test().send('/api', { method: 'HEAD', headers });
      expect(status).to.equal(402);
    });
  });

  it('refuses queries with wrong values before money is spoken of', async () => {
    for (const [query, code] of [
      ['distribution?window=1d', 'window_invalid'],
      ['distribution?platform=No%20Such', 'platform_invalid'],
      ['export?format=xml', 'format_invalid'],
      ['export?format=csv&format=csv', 'query_repeated'],
    ]) {
      const { status, json } = await test().get(`/api/analytics/${query}`);
      expect(status, query).to.equal(400);
      expect(json?.['code'], query).to.equal(code);
    }
  });
});

describe('premium: without a facilitator', () => {
  it('states the price, and that payments cannot be processed', async () => {
    await using test = await openTestApi({ settings: { premium: premium({}) } });
    test.now = Date.now();
    expect((await test.get('/api')).status).to.equal(402);
    const { status, json, headers } = await test.get('/api', presented(await signPayment(payer, { to: PAYEE })));
    expect(status).to.equal(500);
    expect(json).to.include({ code: 'payments_unavailable' });
    expect(headers.get('retry-after')).to.equal('5');
  });

  it('is closed when no payee is configured', async () => {
    await using test = await openTestApi({ settings: { premium: null } });
    for (const path of PATHS) {
      const { status, json } = await test.get(path);
      expect(status, path).to.equal(404);
      expect(json, path).to.include({ code: 'path_unknown' });
    }
  });
});

/** A payment whose members differ from the signed ones. */
async function altered(path: readonly string[], value: unknown): Promise<unknown> {
  return changed(await signPayment(payer, { to: PAYEE }), path, value);
}

/** A copy with one member changed. */
function changed(payment: TestPayment, path: readonly string[], value: unknown): unknown {
  const copy: unknown = structuredClone(payment);
  let at: unknown = copy;
  for (const name of path.slice(0, -1)) at = typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined;
  if (typeof at !== 'object' || at === null) throw new Error(`there is no ${path.join('.')}`);
  Reflect.set(at, path.at(-1)!, value);
  return copy;
}
