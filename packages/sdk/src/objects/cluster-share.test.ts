import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChandleryError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { ManualClock } from '@chandlery/platform';
import type { ClusterConnection } from './cluster-connection.ts';
import { ClusterShare, type Reader } from './cluster-share.ts';

class TestReader implements Reader {
  readonly fail: (code: string) => void;
  readonly followed: string[] = [];
  isStopped = false;

  constructor(onFailure: (error: ChandleryError) => void) {
    this.fail = code => onFailure(new ChandleryError(code, code));
  }

  follow(client: Client): void {
    const { name } = client as unknown as { name: string };
    if (this.followed.at(-1) !== name) this.followed.push(name);
  }

  stop(): Promise<void> {
    this.isStopped = true;
    return Promise.resolve();
  }
}

const kubeconfigOf = (server: string): string =>
  JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [{ name: 'k', cluster: { server } }],
    users: [{ name: 'u', user: {} }],
  });

const connection = (id: string, kubeconfig: string, name = id): ClusterConnection => ({
  id,
  kubeconfig,
  client: { name } as unknown as Client,
});

const shareOf = (clock = new ManualClock()) => new ClusterShare(onFailure => new TestReader(onFailure), clock);

describe('A reader shared by all who use a cluster', () => {
  const east = kubeconfigOf('https://east');

  it('is one for each address, and one for each connection without an address', () => {
    const share = shareOf();
    const reader = share.use(connection('a', east), 'a');
    assert.equal(share.use(connection('b', east), 'b'), reader);
    assert.notEqual(share.use(connection('c', kubeconfigOf('https://west')), 'c'), reader);
    const unknown = share.use(connection('d', 'no: address'), 'd');
    assert.notEqual(share.use(connection('e', 'no: address'), 'e'), unknown);
    assert.deepEqual(reader.followed, ['a']);
  });

  it('continues with a new client of its user, and with another user when that one leaves', () => {
    const share = shareOf();
    const reader = share.use(connection('a', east), 'a');
    share.use(connection('b', east), 'b');
    share.use(connection('a', east, 'a2'), 'a');
    share.leave('a');
    assert.deepEqual(reader.followed, ['a', 'a2', 'b']);
    assert.equal(reader.isStopped, false);
    share.leave('b');
    assert.equal(reader.isStopped, true);
  });

  it('tries the clients of others when one no longer gets in, but not in a hurry', () => {
    const clock = new ManualClock();
    const share = shareOf(clock);
    const reader = share.use(connection('a', east), 'a');
    share.use(connection('b', east), 'b');
    reader.fail('NotFound');
    assert.deepEqual(reader.followed, ['a']);
    reader.fail('Unauthorized');
    reader.fail('Unauthorized');
    assert.deepEqual(reader.followed, ['a', 'b']);
    clock.advance(20_000);
    reader.fail('Unauthorized');
    assert.deepEqual(reader.followed, ['a', 'b', 'a']);
  });

  it('is left by a user whose cluster moved', () => {
    const share = shareOf();
    const before = share.use(connection('a', east), 'a');
    const after = share.use(connection('a', kubeconfigOf('https://moved')), 'a');
    assert.notEqual(after, before);
    assert.equal(before.isStopped, true);
  });
});
