import { expect } from 'chai';
import { loadConfig } from '../../config/config.ts';
import { isEvmAddress } from '../../config/env-fields.ts';
import { fromSmallestUnits, toSmallestUnits } from '../../config/premium.ts';
import { SettingsError } from '../../config/settings-error.ts';
import { DEVELOPMENT_PAYEE, PAYMENT_NETWORKS } from '../../config/x402-networks.ts';

const PAYEE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const PUBLIC = {
  SITE_URL: 'https://upsilon.example',
  CONTACT: 'mailto:security@upsilon.example',
  SECRETS_KEY: 'A'.repeat(43),
};

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

describe('config: payments request by request', () => {
  it('use a test network and the development payee on a local installation', () => {
    const { premium } = loadConfig({});
    expect(premium).to.deep.include({
      network: 'eip155:84532',
      networkTitle: 'Base Sepolia',
      v1Network: 'base-sepolia',
      testNetwork: true,
      payTo: DEVELOPMENT_PAYEE,
      facilitatorUrl: null,
      prices: { access: 10_000n, tiers: 10_000n, distribution: 20_000n, export: 100_000n },
    });
    expect(premium?.token).to.equal(PAYMENT_NETWORKS['eip155:84532']?.usdc);
  });

  for (const production of [PUBLIC, { NODE_ENV: 'production' }, { HOST: '0.0.0.0' }]) {
    describe(`with ${JSON.stringify(production)}`, () => {
      it('are closed without a payee', () => {
        expect(loadConfig(production).premium).to.equal(null);
      });

      it('refuse the development payee, in any spelling', () => {
        for (const X402_PAY_TO of [DEVELOPMENT_PAYEE, DEVELOPMENT_PAYEE.toLowerCase()]) {
          const problems = problemsOf({ ...production, X402_PAY_TO, X402_NETWORK: 'eip155:8453' });
          expect(problems).to.have.length(1);
          expect(problems[0]).to.match(/^X402_PAY_TO is the development payee/);
        }
      });

      it('refuse a test network', () => {
        expect(problemsOf({ ...production, X402_PAY_TO: PAYEE })[0]).to.match(/^X402_NETWORK is eip155:84532, a test/);
      });

      it('accept a real network and payee', () => {
        const { premium } = loadConfig({
          ...production,
          X402_PAY_TO: PAYEE,
          X402_NETWORK: 'eip155:8453',
          X402_FACILITATOR_URL: 'https://facilitator.example/x402/',
        });
        expect(premium).to.include({
          network: 'eip155:8453',
          v1Network: 'base',
          testNetwork: false,
          payTo: PAYEE,
          facilitatorUrl: 'https://facilitator.example/x402',
          rpcUrl: 'https://mainnet.base.org',
        });
        expect(premium?.token.name).to.equal('USD Coin');
      });
    });
  }

  for (const [name, value] of [
    ['X402_PAY_TO', '0x70997970C51812dc3A010C7d01b50e0d17dc79C9'],
    ['X402_PAY_TO', '0x70997970c51812dc3A010C7d01b50e0d17dc79C8'],
    ['X402_PAY_TO', 'nobody'],
    ['X402_NETWORK', 'base-sepolia'],
    ['X402_NETWORK', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'],
    ['X402_FACILITATOR_URL', 'facilitator.example'],
    ['X402_PRICE', '0'],
    ['X402_PRICE', '-1'],
    ['X402_PRICE', '1e-2'],
    ['X402_NETWORK', 'eip155:31337'],
    ['X402_PRICE', '0.0000001'],
  ] as const) {
    it(`refuse ${name}=${value}`, () => {
      const problems = problemsOf({ [name]: value });
      expect(problems).to.have.length(1);
      expect(problems[0]).to.include(name);
    });
  }
});

describe('addresses of EVM chains', () => {
  for (const [address, fits] of [
    ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', true],
    ['0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359', true],
    ['0x52908400098527886E0F7030069857D2E4169EE7', true],
    ['0xde709f2102306220921060314715629080e2fb77', true],
    ['0x5aAeb6053f3E94C9b9A09f33669435E7Ef1BeAed', false],
    ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe', false],
    ['5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', false],
  ] as const) {
    it(`${address} ${fits ? 'fits' : 'does not fit'}`, () => expect(isEvmAddress(address)).to.equal(fits));
  }
});

describe('prices', () => {
  it('are whole numbers of the smallest unit, exactly, and back', () => {
    for (const [price, decimals, units] of [
      ['0.01', 6, 10_000n],
      ['1', 6, 1_000_000n],
      ['0.1', 1, 1n],
      ['123456.789', 3, 123_456_789n],
      ['0.000001', 6, 1n],
    ] as const) {
      expect(toSmallestUnits(price, decimals)).to.equal(units);
      expect(Number(fromSmallestUnits(units, decimals))).to.equal(Number(price));
    }
    expect(() => toSmallestUnits('0.01', 1)).to.throw(RangeError);
    expect(fromSmallestUnits(10_000n, 6)).to.equal('0.01');
    expect(fromSmallestUnits(100_000n, 6)).to.equal('0.10');
    expect(fromSmallestUnits(5n, 0)).to.equal('5.00');
  });
});
