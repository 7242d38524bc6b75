import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { restService } from './support/hosted-server.ts';
import { setOrderStage, shell } from './support/order-stage.ts';
import { findProcesses } from './support/process-census.ts';

const skip = process.platform === 'linux' ? false : 'processes are counted in /proc';
const stage = setOrderStage();

/** Commands with this argument are counted; launchers have the data folder in theirs. */
const newMark = (): string => `mark-${randomUUID()}`;
const isRunning = (mark: string): Promise<true> =>
  eventually(() => findProcesses(mark).size === 1, { what: 'one process runs', timeoutMs: 60_000 });
const untilNone = (text: string): Promise<true> =>
  eventually(() => findProcesses(text).size === 0, { what: `no process with ${text} is left`, timeoutMs: 60_000 });

const orderSleep = async (mark: string): Promise<string> => {
  const service = await stage.service(shell(`sleep 1000; : ${mark}`));
  const order = await stage.order(service);
  await isRunning(mark);
  return order;
};

const host = async (mark: string): Promise<string> => {
  const service = await stage.service(restService({}, mark));
  await answers(service);
  assert.equal(findProcesses(mark).size, 1);
  return service;
};

async function answers(service: string): Promise<void> {
  const request = { body: { do: 'echo' }, headers: { timeout: '60' } };
  const { status, text } = await stage.ask('POST', `/1/services2/${service}/jobs`, request);
  assert.equal(status, 200, text);
}

test('no process remains of a service or an order that was deleted or cancelled', { skip }, async () => {
  const [hosted, deleted, cancelled] = [newMark(), newMark(), newMark()];
  const service = await host(hosted);
  await stage.expect(204, 'DELETE', `/1/services2/${service}`);
  await untilNone(hosted);
  const first = (await orderSleep(deleted)).slice('urn:ivcap:order:'.length);
  const orders = '/apis/orders.chandlery.io/v1alpha1/namespaces/acme/orders';
  assert.equal((await stage.kube('DELETE', `${orders}/${first}`)).status, 200);
  await untilNone(deleted);
  const second = await orderSleep(cancelled);
  await stage.expect(200, 'POST', `/1/orders/${second}/cancel`, { body: {} });
  await untilNone(cancelled);
  await untilNone(`chandlery-pod ${stage.landscape.dataDir}`);
});

test('no process remains of a server that was killed or stopped, and the next one replaces them', {
  skip,
}, async () => {
  const [hosted, ordered] = [newMark(), newMark()];
  const service = await host(hosted);
  await orderSleep(ordered);
  const { dataDir } = stage.landscape;
  assert.notEqual(findProcesses(`chandlery-pod ${dataDir}`).size, 0);
  await stage.landscape.kill9();
  for (const text of [hosted, ordered, dataDir]) await untilNone(text);
  await stage.landscape.restart();
  await answers(service);
  for (const mark of [hosted, ordered]) await isRunning(mark);
  await stage.landscape.stop();
  for (const text of [hosted, ordered, dataDir]) await untilNone(text);
});
