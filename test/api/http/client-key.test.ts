import { expect } from 'chai';
import * as fc from 'fast-check';
import { createClientKey } from '../../../api/http/client-key.ts';
import { parseTrustedProxy, type TrustedProxy } from '../../../config/trusted-proxy.ts';

const trusted = (...texts: string[]): TrustedProxy[] =>
  texts.map((text) => {
    const proxy = parseTrustedProxy(text);
    if (proxy === null) throw new Error(text);
    return proxy;
  });

describe('api: the client of a request', () => {
  const cases: [
    what: string,
    proxies: string[],
    peer: string | undefined,
    forwarded: string | undefined,
    key: string,
  ][] = [
    ['is the peer', [], '192.0.2.1', undefined, '192.0.2.1'],
    ['is the peer when no proxy is trusted', [], '192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['is the peer when the peer is not trusted', ['10.0.0.0/8'], '192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['is what a trusted proxy says', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.7', '198.51.100.7'],
    ['is read from the right', ['10.0.0.0/8'], '10.1.2.3', '203.0.113.9, 198.51.100.7', '198.51.100.7'],
    ['is found behind several trusted hops', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.7, 10.9.9.9', '198.51.100.7'],
    ['is the last hop when all are trusted', ['10.0.0.0/8'], '10.1.2.3', '10.4.4.4, 10.9.9.9', '10.4.4.4'],
    ['is the proxy when the header is garbage', ['10.0.0.0/8'], '10.1.2.3', 'unknown', '10.1.2.3'],
    ['is the proxy without a header', ['10.0.0.0/8'], '10.1.2.3', undefined, '10.1.2.3'],
    ['may have a port', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.7:4711', '198.51.100.7'],
    ['may have brackets and a port', ['10.0.0.0/8'], '10.1.2.3', '[2001:db8:1:2::9]:4711', '2001:db8:1:2/64'],
    ['is the IPv4 address when that is mapped', [], '::ffff:192.0.2.1', undefined, '192.0.2.1'],
    ['is the IPv4 address when that is mapped in hexadecimal', [], '::ffff:c633:6401', undefined, '198.51.100.1'],
    ['is the IPv4 address when that is mapped at length', [], '0:0:0:0:0:FFFF:c633:6401', undefined, '198.51.100.1'],
    ['is not mapped elsewhere', [], '0:0:0:ffff::1', undefined, '0:0:0:ffff/64'],
    ['is trusted when mapped, too', ['10.0.0.0/8'], '::ffff:10.1.2.3', '198.51.100.7', '198.51.100.7'],
    ['is a /64 of IPv6', [], '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2/64'],
    ['is a /64 however it is written', [], '2001:0DB8:0001:0002::1', undefined, '2001:db8:1:2/64'],
    ['is a /64 of short addresses', [], '::1', undefined, '0:0:0:0/64'],
    ['has no zone', [], 'fe80::1%eth0', undefined, 'fe80:0:0:0/64'],
    ['may be behind an IPv6 proxy', ['fd00::/8'], 'fd00::5', '198.51.100.7', '198.51.100.7'],
    ['is unknown once the peer is gone', [], undefined, undefined, 'unknown'],
  ];
  for (const [what, proxies, peer, forwarded, key] of cases) {
    it(what, () => expect(createClientKey(trusted(...proxies))(peer, forwarded)).to.equal(key));
  }

  it('is the same for every address of a /64, and another for the next', () => {
    const group = fc.nat({ max: 0xffff }).map((value) => value.toString(16));
    const clientKey = createClientKey([]);
    fc.assert(
      fc.property(
        fc.array(group, { minLength: 8, maxLength: 8 }),
        fc.array(group, { minLength: 4, maxLength: 4 }),
        (groups, others) => {
          const prefix = groups.slice(0, 4);
          expect(clientKey([...prefix, ...others].join(':'), undefined)).to.equal(
            clientKey(groups.join(':'), undefined),
          );
          const changed = [...prefix.slice(0, 3), prefix[3] === '1' ? '2' : '1', ...others].join(':');
          expect(clientKey(changed, undefined)).to.not.equal(clientKey(groups.join(':'), undefined));
        },
      ),
    );
  });
});
