import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import type { NotificationRow, Table } from '../../model/rows.ts';
import { NotificationLog } from './notification-log.ts';

const objectAt = (
  revision: number,
  { id = `n${revision}`, platformIds }: Partial<{ id: string; platformIds: string[] }> = {},
) =>
  ({
    apiVersion: 'brokers.chandlery.io/v1alpha1',
    kind: 'Notification',
    metadata: { name: id, resourceVersion: String(revision) },
    spec: { resource: '/v1/visibilities', type: 'CREATED', resourceId: 'v', payload: {}, platformIds },
  }) as unknown as KubeObject;

/** A log whose table is empty: only cached notifications can be sent. */
function newLog() {
  const notified: number[] = [];
  const table = { get: () => undefined } as unknown as Table<NotificationRow>;
  const log = new NotificationLog(table, ({ revision }) => void notified.push(revision));
  return { log, notified };
}

const revisionsSince = (log: NotificationLog, revision: number, platformId = 'p', limit = 100) =>
  log.since(revision, platformId, limit)?.map(encoded => encoded.revision);

suite('the log of notifications', () => {
  test('is filled by the first list, which is not sent', async () => {
    const { log, notified } = newLog();
    log.beginList();
    for (const revision of [5, 3, 4]) log.put(objectAt(revision));
    assert.equal(log.newest, undefined);
    log.endList(9);
    await log.filled;
    assert.deepEqual([notified, log.newest, log.position], [[], 5, 9]);
  });

  test('sends new notifications in the order of the watch, and missed ones in the order of revisions', () => {
    const { log, notified } = newLog();
    log.beginList();
    log.put(objectAt(3));
    log.endList(4);
    log.put(objectAt(5));
    log.put(objectAt(6, { platformIds: ['q'] }));
    log.beginList();
    for (const revision of [9, 5, 8, 6]) log.put(objectAt(revision));
    log.endList(10);
    assert.deepEqual(notified, [5, 6, 8, 9]);
    assert.equal(log.newest, 9);
    assert.equal(revisionsSince(log, 3), undefined, 'the list has it no more');
    assert.deepEqual(revisionsSince(log, 5), [8, 9]);
    assert.deepEqual(revisionsSince(log, 5, 'q'), [6, 8, 9]);
    assert.equal(revisionsSince(log, 5, 'q', 2), undefined);
    assert.deepEqual(revisionsSince(log, 5, 'p', 2), [8, 9], 'only what is for the platform counts');
    assert.deepEqual(revisionsSince(log, 9), []);
    assert.equal(revisionsSince(log, 10), undefined);
  });

  test('a changed notification is not sent again, and a deleted one is removed', () => {
    const { log, notified } = newLog();
    log.beginList();
    log.endList(1);
    log.put(objectAt(2, { id: 'x' }));
    log.put(objectAt(3, { id: 'x' }));
    assert.deepEqual([notified, log.newest, log.position], [[2], 2, 3]);
    log.remove(objectAt(4, { id: 'x' }));
    assert.deepEqual([log.newest, log.position, revisionsSince(log, 2)], [undefined, 4, undefined]);
  });

  test('what can be read nowhere any more is not passed over in silence', () => {
    const { log } = newLog();
    log.beginList();
    for (const revision of [2, 3]) log.put(objectAt(revision));
    log.endList(3);
    assert.equal(revisionsSince(log, 2), undefined);
    assert.deepEqual(revisionsSince(log, 3), []);
  });
});
