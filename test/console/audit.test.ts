import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually, findChromium, startTestLandscape, type TestLandscape, whySkipped } from '@chandlery/testing';
import { type Person, personWith } from '../scenarios/provider-validation/support/people.ts';
import { activate, clearMoment, reach, type, typeMoment } from './support/by-keyboard.ts';
import { type ConsoleBrowser, type ConsoleTab, startConsoleBrowser } from './support/console-browser.ts';
import { signInTo } from './support/console-people.ts';

const chromium = await findChromium();

/** A program may call itself anything. */
const hostileAgent = '<img src=x onerror="document.title=\'broken\'">';

describe('Events and audit in the console', { skip: whySkipped(chromium) }, () => {
  let landscape: TestLandscape;
  let browser: ConsoleBrowser;
  let tab: ConsoleTab;
  let person: Person;

  before(async () => {
    landscape = await startTestLandscape({ flags: ['--local-clusters', 'off'] });
    person = personWith(landscape.kubeconfig, 'onboarding');
    await person.run('create', 'namespace', 'acme');
    const path = '/clusters/onboarding/api/v1/namespaces/acme/configmaps';
    for (let index = 0; index < 60; index += 1) {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `map-${index}` } };
      await landscape.request(path, { body, headers: { 'user-agent': hostileAgent } });
    }
    await person.run('delete', 'configmap', 'map-7', '-n', 'acme');
    await landscape.request(path, { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'map-8' } } });
    await person.run('create', 'serviceaccount', 'guest', '-n', 'acme');
    const token = (await person.run('create', 'token', 'guest', '-n', 'acme')).trim();
    await landscape.request(path, { token, body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } } });
    browser = await startConsoleBrowser(landscape, chromium);
    tab = await browser.open();
    await signInTo(tab, landscape.token);
  });
  after(async () => {
    await tab?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await landscape?.[Symbol.asyncDispose]();
  });

  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await tab.page.keyboard.press(key);
  };
  const rows = () => tab.page.getByRole('region', { name: 'Audit records' }).locator('tbody tr');
  const newestRecord = async (): Promise<string | null> => {
    const href = (await rows().first().getByRole('link').getAttribute('href')) ?? '';
    return new URL(href, landscape.url).searchParams.get('record');
  };
  const untilRows = (count: number): Promise<boolean> =>
    eventually(async () => (await rows().count()) === count, { what: `${count} records` });

  it('lists the events of a cluster, and leads to the audit log', async () => {
    const { page } = tab;
    await press('g', 'e');
    await page.getByRole('heading', { name: 'Events', exact: true }).waitFor();
    await tab.screenshot('events');
    await reach(page.getByRole('link', { name: 'Audit log' }));
    await press('Enter');
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    await untilRows(50);
    await tab.screenshot('audit');
  });

  it('filters by user, verb, resource, object, time and outcome; the address is the state', async () => {
    const { page } = tab;
    await type(page.getByLabel('Verb'), 'delete');
    await type(page.getByLabel('Resource'), 'configmaps');
    await untilRows(1);
    assert.match(await rows().first().innerText(), /Succeeded[\s\S]*delete configmaps[\s\S]*acme\/map-7/);
    await eventually(() => /verb=delete&resource=configmaps/.test(page.url()), { what: 'the address' });
    await type(page.getByLabel('Verb'), '');
    await activate(page.getByRole('button', { name: 'Denied' }));
    await rows().first().getByText('Denied').waitFor();
    await untilRows(1);
    assert.match(await rows().first().innerText(), /Denied[\s\S]*acme:guest[\s\S]*403/);
    await tab.screenshot('audit-denied');
    await activate(page.getByRole('button', { name: 'Denied' }));
    await type(page.getByLabel('Object'), 'map-8');
    await untilRows(2);
    await type(page.getByLabel('User'), 'nobody');
    await page.getByText('No record matches these filters').waitFor();
    await activate(page.getByRole('button', { name: 'Remove the filters' }));
    await untilRows(50);
    await typeMoment(page.getByLabel('To', { exact: true }), new Date(2001, 0, 1));
    await page.getByText('No record matches these filters').waitFor();
    await clearMoment(page.getByLabel('To', { exact: true }));
    await untilRows(50);
  });

  it('pages to older records and opens one, by keyboard alone', async () => {
    const { page } = tab;
    await reach(page.getByRole('link', { name: 'Home' }));
    await press('j', 'j', 'Enter');
    const card = page.getByRole('region', { name: 'Record' });
    await card.getByText('Took').waitFor();
    await tab.screenshot('audit-record');
    const newest = await newestRecord();
    await reach(page.getByRole('button', { name: 'Older' }));
    await press('Enter');
    await eventually(async () => (await newestRecord()) !== newest, { what: 'older records' });
    assert.match(page.url(), /page=[0-9a-z]+-/);
    await reach(page.getByRole('button', { name: 'Newest' }));
    await press('Enter');
    await eventually(async () => (await newestRecord()) === newest, { what: 'the newest records' });
  });

  it('leads from a record to the object, and shows text of users as text', async () => {
    const { page } = tab;
    await tab.visit('onboarding/events/audit?name=map-9&resource=configmaps');
    await untilRows(1);
    await activate(rows().first().getByRole('link'));
    const card = page.getByRole('region', { name: 'Record' });
    await card.getByText(hostileAgent).waitFor();
    assert.equal(await page.locator('main img').count(), 0);
    assert.notEqual(await page.title(), 'broken');
    await activate(card.getByRole('link', { name: 'acme/map-9' }));
    await page.getByRole('heading', { name: 'map-9' }).waitFor();
  });

  it('shows the records of all clusters when asked', async () => {
    const { page } = tab;
    await tab.visit('onboarding/events/audit');
    await activate(page.getByLabel('All clusters'));
    await type(page.getByLabel('Resource'), 'logicalclusters');
    await eventually(async () => (await rows().count()) > 0, { what: 'records of the platform' }).catch(() => {});
    assert.match(page.url(), /clusters=all/);
  });

  it('shows tenants nothing, says why, and does not end their session', async () => {
    await person.run('create', 'serviceaccount', 'tenant', '-n', 'acme');
    await person.run(
      'create',
      'clusterrolebinding',
      'tenant',
      '--clusterrole=cluster-admin',
      '--serviceaccount=acme:tenant',
    );
    const token = (await person.run('create', 'token', 'tenant', '-n', 'acme')).trim();
    await using theirs = await browser.open();
    const { page } = theirs;
    await signInTo(theirs, token, 'onboarding/events/audit');
    await page.getByText('You may not read the audit log').waitFor();
    assert.equal(await page.locator('tbody tr').count(), 0);
    await theirs.screenshot('audit-forbidden');
    await activate(page.getByRole('link', { name: 'Events', exact: true }));
    await page.getByRole('heading', { name: 'Events', exact: true }).waitFor();
  });
});
