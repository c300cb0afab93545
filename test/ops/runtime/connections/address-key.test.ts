import { isIP } from 'node:net';
import { expect } from 'chai';
import { addressKey, createTrust } from '../../../../ops/runtime/connections/index.ts';

describe('ops: addresses of trusted proxies', () => {
  it('are those of the networks, mapped ones included', () => {
    const isTrusted = createTrust([
      { address: '10.0.0.0', prefix: 8, family: 'ipv4' },
      { address: '2001:db8::', prefix: 32, family: 'ipv6' },
    ]);
    const addresses = ['10.1.2.3', '::ffff:10.1.2.3', '::ffff:a01:203', '2001:DB8::5', '11.1.2.3', '2001:db9::5'];
    expect(addresses.map(isTrusted)).to.deep.equal([true, true, true, true, false, false]);
  });

  it('are addresses', () => {
    const isTrusted = createTrust([{ address: '::', prefix: 0, family: 'ipv6' }]);
    for (const text of ['', 'unknown', '1.2.3', '1:2', '1.2.3.4:80']) {
      expect(isIP(text)).to.equal(0);
      expect(isTrusted(text), text).to.equal(false);
    }
  });
});

describe('ops: the key of a client', () => {
  it('of an IPv6 address is its network of 64 bits, however the address is written', () => {
    for (const [address, key] of [
      ['::', '0:0:0:0/64'],
      ['1::', '1:0:0:0/64'],
      ['2001:0DB8:0:1:2:3:4:5', '2001:db8:0:1/64'],
      ['2001:db8:0:1::', '2001:db8:0:1/64'],
      ['1:2:3::4:1.2.3.4', '1:2:3:0/64'],
      ['1:2:3:4:5:6:1.2.3.4', '1:2:3:4/64'],
    ] as const) {
      expect(addressKey(address), address).to.equal(key);
    }
  });
});
