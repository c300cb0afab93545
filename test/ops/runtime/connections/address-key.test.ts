import { BlockList, isIP, isIPv4 } from 'node:net';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { createTrust } from '../../../../ops/runtime/connections/index.ts';

const group = fc.oneof(
  fc.constantFrom('0', '0000', 'ffff', '00Ab'),
  fc.nat({ max: 0xffff }).map((value) => value.toString(16)),
);
const ipv4 = fc
  .tuple(fc.constantFrom(10, 127, 0), fc.nat({ max: 255 }), fc.nat({ max: 3 }), fc.nat({ max: 3 }))
  .map((bytes) => bytes.join('.'));
const ipv6 = fc.oneof(
  fc.array(group, { minLength: 8, maxLength: 8 }).map((groups) => groups.join(':')),
  fc
    .tuple(fc.array(group, { maxLength: 4 }), fc.array(group, { maxLength: 3 }))
    .map(([head, tail]) => `${head.join(':')}::${tail.join(':')}`),
  fc.tuple(fc.constantFrom('::ffff:', '::', '64:ff9b::', '1:2:3:4:5:6:'), ipv4).map((parts) => parts.join('')),
);
const address = fc.oneof(ipv4, ipv6);

describe('ops: addresses of trusted proxies', () => {
  it('are those that the block list of Node has', () => {
    fc.assert(
      fc.property(address, address, fc.nat({ max: 128 }), (client, network, bits) => {
        const family = isIPv4(network) ? 'ipv4' : 'ipv6';
        const prefix = family === 'ipv4' ? bits >> 2 : bits;
        const list = new BlockList();
        list.addSubnet(network, prefix, family);
        const isTrusted = createTrust([{ address: network, prefix, family }]);
        const expected = list.check(client, isIPv4(client) ? 'ipv4' : 'ipv6');
        expect(isTrusted(client), `${client} in ${network}/${prefix}`).to.equal(expected);
        expect(isTrusted(client), 'again').to.equal(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are addresses', () => {
    const isTrusted = createTrust([{ address: '::', prefix: 0, family: 'ipv6' }]);
    for (const text of ['', 'unknown', '1.2.3', '1:2', '1.2.3.4:80']) {
      expect(isIP(text)).to.equal(0);
      expect(isTrusted(text), text).to.equal(false);
    }
  });
});
