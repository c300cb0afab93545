import { expect } from 'chai';
import { openBlockingRedis, openSubscription } from '../../../../ops/runtime/stores/index.ts';
import { freshDatabase } from '../../../support/engines.ts';
import { eventually } from '../../../support/eventually.ts';

describe('a subscription', () => {
  it('receives messages, also after its connection was cut', async () => {
    const { redisUrl, prefix: channel } = await freshDatabase();
    const heard: string[] = [];
    const subscription = openSubscription({
      redisUrl,
      channel,
      onMessage: (message) => heard.push(message),
      onError: () => undefined,
    });
    const redis = openBlockingRedis(redisUrl, () => undefined);
    const publish = (message: string): Promise<string> =>
      eventually(`somebody to hear "${message}"`, async () => {
        await redis.publish(channel, message);
        return heard.at(-1) === message ? message : null;
      });
    await publish('before');
    await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await publish('after');

    subscription.close();
    await eventually('no subscribers', async () => (await redis.pubsub('NUMSUB', channel))[1] === 0);
    redis.disconnect();
    expect(new Set(heard)).to.deep.equal(new Set(['before', 'after']));
  });

  it('is made again when Redis refused it', async () => {
    const { redisUrl, prefix } = await freshDatabase();
    const redis = openBlockingRedis(redisUrl, () => undefined);
    await redis.call('ACL', 'SETUSER', prefix, 'on', 'nopass', '~*', '+@all', 'resetchannels');
    const url = new URL(redisUrl);
    Object.assign(url, { username: prefix, password: 'any' });
    const errors: string[] = [];
    const heard: string[] = [];
    const subscription = openSubscription({
      redisUrl: url.href,
      channel: prefix,
      onMessage: (message) => heard.push(message),
      onError: ({ message }) => errors.push(message),
    });
    await eventually('the refusal', () => errors.length > 0);
    await redis.call('ACL', 'SETUSER', prefix, 'allchannels');
    await eventually('a message', async () => {
      await redis.publish(prefix, 'after');
      return heard.length > 0;
    });
    expect(errors[0]).to.include('NOPERM');
    subscription.close();
    await redis.call('ACL', 'DELUSER', prefix);
    redis.disconnect();
  });
});
