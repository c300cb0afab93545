import { isIPv4, isIPv6 } from 'node:net';
import { expect } from 'chai';
import { type Clients, createClientHeaders } from '../../../../ops/bench/frame/client-headers.ts';

const valueOf = (line: string): string => /^X-Forwarded-For: (.+)\r\n$/.exec(line)?.[1] ?? '';

/** The clients of requests: addresses, or the first half of IPv6 ones. */
const countedClients = (clients: Clients, requests: number): readonly string[] => {
  const next = createClientHeaders(clients);
  return Array.from({ length: requests }, () => valueOf(next()).split(', ')[0]!.split(':').slice(0, 4).join(':'));
};

describe('the clients of a load', () => {
  it('take turns, each once a turn in another order', () => {
    const counted = countedClients({ count: 500 }, 1_000);
    const [first, second] = [counted.slice(0, 500), counted.slice(500)];
    expect(new Set(first).size).to.equal(500);
    expect(second.toSorted()).to.deep.equal(first.toSorted());
    expect(second).to.not.deep.equal(first);
  });

  it('can be new in each request', () => {
    expect(new Set(countedClients({ count: null, first: 40_000_000 }, 50_000)).size).to.equal(50_000);
    expect(countedClients({ count: null, first: 7 }, 10)).to.deep.equal(countedClients({ count: null, first: 7 }, 10));
  });

  it('are other ones from another number on', () => {
    const counted = [...countedClients({ count: 500 }, 500), ...countedClients({ count: 500, first: 500 }, 500)];
    expect(new Set(counted).size).to.equal(1_000);
  });

  it('have IPv4 addresses that are not of this machine, or change their address in an IPv6 /64', () => {
    const next = createClientHeaders({ count: null });
    const addresses = Array.from({ length: 1_000 }, () => valueOf(next()));
    expect(addresses.filter((address) => !isIPv4(address) || address.startsWith('127.'))).to.deep.equal([]);
    const same = createClientHeaders({ count: 1, family: 6 });
    const [one, other] = [valueOf(same()), valueOf(same())];
    expect([isIPv6(one), isIPv6(other), one === other]).to.deep.equal([true, true, false]);
    expect(new Set(countedClients({ count: 1, family: 6 }, 10)).size).to.equal(1);
    expect(new Set(countedClients({ count: 1_000, family: 6 }, 1_000)).size).to.equal(1_000);
  });

  it('are the same behind two proxies as behind one', () => {
    const [one, two] = ([1, 2] as const).map((proxies) => new Set(countedClients({ count: 500, proxies }, 500)));
    expect(valueOf(createClientHeaders({ count: 1, proxies: 2 })())).to.match(/^[\d.]+, 127\.[\d.]+$/);
    expect(two).to.deep.equal(one);
  });
});
