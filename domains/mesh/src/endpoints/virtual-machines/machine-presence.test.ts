import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PresentProxy } from '../../ports/endpoints.ts';
import { MachinePresence, type ServingMachine } from './machine-presence.ts';

const machine = (id: string, ip: string, more: Partial<ServingMachine> = {}): ServingMachine => ({
  namespace: 'shop',
  serviceAccount: 'books',
  id,
  ip,
  isOnlyAddress: true,
  ...more,
});
const proxy = (proxyId: string | undefined, ip: string, serviceAccount = 'books'): PresentProxy => ({
  identity: { namespace: 'shop', serviceAccount, ...(proxyId && { proxyId }) },
  peer: `${ip}:4711`,
});

function start() {
  const waiting = new Set<() => void>();
  const changed: string[] = [];
  const presence = new MachinePresence({
    isMachineKey: key => !key.includes('unknown'),
    onChange: namespace => void changed.push(namespace),
    timers: {
      after: (_ms, run) => {
        waiting.add(run);
        return () => void waiting.delete(run);
      },
    },
  });
  /** Ends the grace period of all absent keys. */
  const pass = (): void => {
    const due = [...waiting];
    waiting.clear();
    for (const run of due) run();
  };
  return { presence, changed, pass, waiting };
}

describe('A machine is lost', () => {
  test('when its proxy, called like it, stays away longer than the grace, and is back with it', () => {
    const { presence, changed, pass } = start();
    const one = machine('vm-1', '10.0.0.1');
    assert.equal(presence.isLost(one), false, 'nobody has seen its proxy');
    const connected = presence.connect(proxy('vm-1', '192.168.0.1'));
    connected[Symbol.dispose]();
    assert.equal(presence.isLost(one), false, 'it is waited for');
    pass();
    assert.equal(presence.isLost(one), true);
    assert.equal(presence.isLost(machine('vm-2', '10.0.0.2')), false);
    assert.ok(changed.includes('shop'));
    changed.length = 0;
    presence.connect(proxy('vm-1', '192.168.0.1'));
    assert.deepEqual([presence.isLost(one), changed[0]], [false, 'shop']);
  });

  test('when the proxy that connected from its address has disconnected, also one without a name', () => {
    const { presence, pass } = start();
    presence.connect(proxy(undefined, '::ffff:10.0.0.1'))[Symbol.dispose]();
    pass();
    assert.equal(presence.isLost(machine('vm-1', '10.0.0.1')), true);
    assert.equal(presence.isLost(machine('vm-1', '10.0.0.1', { serviceAccount: 'api' })), false, 'of another account');
  });

  test('not while another connection of it is open, as during a reconnect', () => {
    const { presence, pass, waiting } = start();
    const first = presence.connect(proxy('vm-1', '10.0.0.1'));
    const second = presence.connect(proxy('vm-1', '10.0.0.1'));
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    assert.equal(waiting.size, 0);
    second[Symbol.dispose]();
    const third = presence.connect(proxy('vm-1', '10.0.0.1'));
    pass();
    assert.equal(presence.isLost(machine('vm-1', '10.0.0.1')), false);
    third[Symbol.dispose]();
    pass();
    assert.equal(presence.isLost(machine('vm-1', '10.0.0.1')), true);
  });

  test('not while it is connected to another replica; after that replica it is waited for', () => {
    const { presence, pass } = start();
    const one = machine('vm-1', '10.0.0.1');
    const connected = presence.connect(proxy('vm-1', '10.0.0.1'));
    const { connected: keys } = presence.report;
    assert.deepEqual(keys, ['shop/books id=vm-1', 'shop/books ip=10.0.0.1']);
    presence.setOther('b', { connected: keys, lost: [] });
    connected[Symbol.dispose]();
    pass();
    assert.equal(presence.isLost(one), false);
    presence.setOther('b', { connected: [], lost: [] });
    assert.equal(presence.isLost(one), false);
    pass();
    assert.equal(presence.isLost(one), true);
    presence.setOther('c', { connected: keys.slice(0, 1), lost: [] });
    assert.equal(presence.isLost(one), false);
  });

  test('for a replica that starts too, from the report of another, until it is back', () => {
    const one = machine('vm-1', '10.0.0.1');
    const lost = ['shop/books id=vm-1', 'shop/books ip=192.168.0.1'];
    const other = start();
    other.presence.connect(proxy('vm-1', '192.168.0.1'))[Symbol.dispose]();
    assert.deepEqual(other.presence.report.lost, [], 'it is waited for');
    other.pass();
    assert.deepEqual(other.presence.report, { connected: [], lost });

    const { presence, changed, pass } = start();
    presence.setOther('b', other.presence.report);
    assert.deepEqual([presence.isLost(one), changed[0]], [true, 'shop']);
    assert.deepEqual(presence.report.lost, lost, 'the next replica that starts gets it from this one');
    const connected = presence.connect(proxy('vm-1', '192.168.0.1'));
    presence.setOther('b', other.presence.report);
    assert.deepEqual([presence.isLost(one), presence.report.lost], [false, []], 'the other one has not seen it yet');
    connected[Symbol.dispose]();
    presence.setOther('b', other.presence.report);
    assert.equal(presence.isLost(one), false, 'it is waited for again');
    pass();
    assert.equal(presence.isLost(one), true);
    presence.setOther('c', { connected: lost, lost: [] });
    assert.deepEqual([presence.isLost(one), presence.report.lost], [false, []]);
  });

  test('by its name only if the name is not that of a scale set', () => {
    const { presence, pass } = start();
    presence.connect(proxy('set', '10.0.0.1'))[Symbol.dispose]();
    pass();
    const inSet = (ip: string): boolean => presence.isLost(machine('set', ip, { isOnlyAddress: false }));
    assert.deepEqual([inSet('10.0.0.1'), inSet('10.0.0.2')], [true, false]);
  });

  test('and proxies that are of no machine are not remembered', () => {
    const { presence, waiting } = start();
    const connected = presence.connect(proxy('unknown', 'unknown'));
    assert.deepEqual(presence.report, { connected: [], lost: [] });
    connected[Symbol.dispose]();
    assert.equal(waiting.size, 0);
  });
});
