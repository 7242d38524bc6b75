import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually, findChromium, startTestLandscape, type TestLandscape, whySkipped } from '@chandlery/testing';
import { type Person, personWith } from '../scenarios/provider-validation/support/people.ts';
import { type ConsoleBrowser, type ConsoleTab, startConsoleBrowser } from './support/console-browser.ts';
import { signInTo, tabTo } from './support/console-people.ts';

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
    await tab.assertAccessible('events');
    await tab.screenshot('events');
    await tabTo(tab, 'Audit log');
    await press('Enter');
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    await untilRows(50);
    await tab.assertAccessible('audit log');
    await tab.screenshot('audit');
  });

  it('filters by user, verb, resource, object, time and outcome; the address is the state', async () => {
    const { page } = tab;
    await page.getByLabel('Verb').fill('delete');
    await page.getByLabel('Resource').fill('configmaps');
    await untilRows(1);
    assert.match(await rows().first().innerText(), /Succeeded[\s\S]*delete configmaps[\s\S]*acme\/map-7/);
    assert.match(page.url(), /verb=delete&resource=configmaps/);
    await page.getByLabel('Verb').fill('');
    await page.getByRole('button', { name: 'Denied' }).click();
    await untilRows(1);
    assert.match(await rows().first().innerText(), /Denied[\s\S]*acme:guest[\s\S]*403/);
    await tab.screenshot('audit-denied');
    await page.getByRole('button', { name: 'Denied' }).click();
    await page.getByLabel('Object').fill('map-8');
    await untilRows(2);
    await page.getByLabel('User').fill('nobody');
    await page.getByText('No record matches these filters').waitFor();
    await page.getByRole('button', { name: 'Remove the filters' }).click();
    await untilRows(50);
    await page.getByLabel('To', { exact: true }).fill('2001-01-01T00:00:00');
    await page.getByText('No record matches these filters').waitFor();
    await page.getByLabel('To', { exact: true }).fill('');
    await untilRows(50);
  });

  it('pages to older records and opens one, by keyboard alone', async () => {
    const { page } = tab;
    await page.getByRole('link', { name: 'Home' }).focus();
    await press('j', 'j', 'Enter');
    const card = page.getByRole('region', { name: 'Record' });
    await card.getByText('Took').waitFor();
    await tab.assertAccessible('audit record');
    await tab.screenshot('audit-record');
    const newest = await newestRecord();
    await page.getByRole('button', { name: 'Older' }).focus();
    await press('Enter');
    await eventually(async () => (await newestRecord()) !== newest, { what: 'older records' });
    assert.match(page.url(), /page=[0-9a-z]+-/);
    await page.getByRole('button', { name: 'Newest' }).focus();
    await press('Enter');
    await eventually(async () => (await newestRecord()) === newest, { what: 'the newest records' });
  });

  it('leads from a record to the object, and shows text of users as text', async () => {
    const { page } = tab;
    await tab.visit('onboarding/events/audit?name=map-9&resource=configmaps');
    await untilRows(1);
    await rows().first().getByRole('link').click();
    const card = page.getByRole('region', { name: 'Record' });
    await card.getByText(hostileAgent).waitFor();
    assert.equal(await page.locator('main img').count(), 0);
    assert.notEqual(await page.title(), 'broken');
    await card.getByRole('link', { name: 'acme/map-9' }).click();
    await page.getByRole('heading', { name: 'map-9' }).waitFor();
  });

  it('shows the records of all clusters when asked', async () => {
    const { page } = tab;
    await tab.visit('onboarding/events/audit');
    await page.getByLabel('All clusters').check();
    await page.getByLabel('Resource').fill('logicalclusters');
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
    await theirs.assertAccessible('audit log of others');
    await theirs.screenshot('audit-forbidden');
    await page.getByRole('link', { name: 'Events', exact: true }).click();
    await page.getByRole('heading', { name: 'Events', exact: true }).waitFor();
  });
});
