import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { eventually, findChromium, startTestLandscape, type TestLandscape, whySkipped } from '@chandlery/testing';
import { type Person, personWith } from '../scenarios/provider-validation/support/people.ts';
import { activate, reach, reasonAt, type } from './support/by-keyboard.ts';
import { type ConsoleBrowser, type ConsoleTab, startConsoleBrowser } from './support/console-browser.ts';
import { personToken, signInAt } from './support/sign-in.ts';

const chromium = await findChromium();
const timeoutMs = 60_000;

const boats = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boats.harbour.example.com' },
  spec: {
    group: 'harbour.example.com',
    names: { plural: 'boats', kind: 'Boat' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

const configMap = (name: string, data: Readonly<Record<string, string>> = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'acme' },
  data,
});

/** The first run of the container ends when this file is there, and the second one stays. */
const next = `/tmp/chandlery-console-next-${process.pid}-${Date.now()}`;

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'talker', namespace: 'default' },
  spec: {
    restartPolicy: 'Always',
    volumes: [{ name: 'late', secret: { secretName: 'late' } }],
    containers: [
      {
        name: 'main',
        image: 'alpine:3.7',
        command: [
          'sh',
          '-c',
          `test -e ${next} && { echo again; sleep 600; }; echo first; until test -e ${next}; do sleep 0.1; done; exit 1`,
        ],
        volumeMounts: [{ name: 'late', mountPath: '/late' }],
      },
    ],
  },
};

describe('What happens while the console is open', { skip: whySkipped(chromium) }, () => {
  let landscape: TestLandscape;
  let browser: ConsoleBrowser;
  let tab: ConsoleTab;
  let tenant: Person;
  let operator: Person;

  before(async () => {
    landscape = await startTestLandscape({ flags: ['--local-clusters', 'on'] });
    tenant = personWith(landscape.kubeconfig, 'onboarding');
    operator = personWith(landscape.kubeconfig, 'platform');
    await tenant.run('create', 'namespace', 'acme');
    for (let number = 1; number <= 51; number++) await tenant.apply(configMap(`map-${number}`));
    browser = await startConsoleBrowser(landscape, chromium);
    tab = await browser.open();
    await signInAt(tab, 'onboarding/home', landscape.token);
  });
  after(async () => {
    await tab?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await landscape?.[Symbol.asyncDispose]();
    await rm(next, { force: true });
  });

  it('shows a kind that was made a moment ago, and says when it was deleted', async () => {
    const { page } = tab;
    await tab.visit('onboarding/kinds');
    await page.getByRole('heading', { name: 'All kinds' }).waitFor();
    await tenant.apply(boats);
    await activate(page.getByRole('link', { name: 'Boat', exact: true }));
    await page.getByText('No boats').waitFor();
    await tenant.run('delete', 'crd', 'boats.harbour.example.com');
    await page.getByText('serves no boats.harbour.example.com').waitFor({ timeout: timeoutMs });
    await tab.screenshot('kind-unknown');
    await tenant.apply(boats);
    await page.getByText('No boats').waitFor({ timeout: timeoutMs });
  });

  it('goes to the last page of a list when the one behind it has become empty', async () => {
    const { page } = tab;
    await tab.visit('onboarding/list/core/configmaps?ns=acme&page=2');
    await page.getByText('51–51 of 51').waitFor();
    await tenant.run('delete', 'configmap', 'map-51', '-n', 'acme');
    await page.getByText('50 in total').waitFor();
    assert.equal(await page.locator('tbody tr').count(), 50);
    assert.doesNotMatch(page.url(), /page=/);
    await tab.visit('onboarding/list/core/configmaps?ns=acme&page=99999999');
    await page.getByRole('link', { name: 'map-50' }).waitFor();
  });

  it('opens objects with any name', async () => {
    const { page } = tab;
    const name = String.raw`odd,name=\x`;
    await tenant.apply({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    });
    await tab.visit('onboarding/list/rbac.authorization.k8s.io/clusterroles?q=odd');
    await activate(page.getByRole('link', { name }));
    await page.getByRole('heading', { name }).waitFor();
    await page.getByText('Generation').or(page.getByText('Created')).first().waitFor();
    await tab.visit('onboarding/object/core/configmaps');
    await page.getByRole('heading', { name: 'ConfigMap' }).waitFor();
  });

  it('says when what is shown may not be followed any more', async () => {
    const { page } = tab;
    const denied = { kind: 'Status', code: 403, reason: 'Forbidden', message: 'Your roles were taken away' };
    await page.route(/configmaps\?.*watch=true/, route => route.fulfill({ status: 403, json: denied }));
    await tab.visit('onboarding/object/core/configmaps/acme/map-1');
    await page.getByText('Cannot follow ConfigMap "map-1"').waitFor();
    await page.getByText('Your roles were taken away').waitFor();
    await page.getByText('Changes are not shown any more').waitFor();
    await tab.screenshot('not-followed');
    await page.unroute(/configmaps\?.*watch=true/);
    await tab.visit('onboarding/object/core/configmaps/acme/map-2');
    await page.getByText('Changes are not shown any more').waitFor({ state: 'detached' });
  });

  it('keeps a session that is not valid on another cluster, and ends one that is valid nowhere', async () => {
    await using theirs = await browser.open();
    const { page } = theirs;
    await signInAt(theirs, 'onboarding/home', await personToken(landscape, 'zoe'));
    await theirs.visit('onboarding/list/core/configmaps');
    await page.getByText('Cannot list config maps').waitFor();
    await page.getByText(/name one of them above/).waitFor();
    await theirs.visit('onboarding/providers');
    await page.getByText('Your sign-in is not valid on cluster "platform"').waitFor();
    await theirs.visit('platform/home');
    await page.getByText('Your sign-in is not valid on cluster "platform"').waitFor();
    await theirs.screenshot('cluster-closed');
    await activate(page.getByRole('link', { name: 'Open onboarding' }));
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await tenant.run('delete', 'serviceaccount', 'zoe', '-n', 'chandlery-users');
    await page.getByText('Your session has expired').waitFor({ timeout: timeoutMs });
  });

  it('keeps text that was edited and not saved, and saves once, however often that is asked', async () => {
    const { page } = tab;
    await tab.visit('onboarding/object/core/configmaps/acme/map-3?tab=yaml');
    await activate(page.getByRole('button', { name: 'Edit' }));
    const editor = page.getByRole('textbox', { name: 'Edit ConfigMap map-3' });
    await reach(editor);
    await page.keyboard.press('Control+End');
    await page.keyboard.type('immutable: false');
    await tab.visit('onboarding/home');
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await tab.visit('onboarding/object/core/configmaps/acme/map-3?tab=yaml');
    await editor.getByText('immutable: false').waitFor();
    let sent = 0;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(/configmaps\/map-3\?fieldManager/, async route => {
      sent += 1;
      await released;
      await route.continue();
    });
    const save = page.getByRole('button', { name: 'Save' });
    await activate(save);
    await eventually(() => sent === 1, { what: 'the request' });
    await page.keyboard.press('Enter');
    assert.equal(await reasonAt(save), 'It is under way');
    release();
    await page.getByText('✓ Saved').waitFor();
    assert.equal(sent, 1);
    await tab.visit('onboarding/home');
    await tab.visit('onboarding/object/core/configmaps/acme/map-3?tab=yaml');
    await page.getByRole('button', { name: 'Edit' }).waitFor();
  });

  it('begins a log when its container starts, and follows the next run of the container', async () => {
    const { page } = tab;
    await operator.apply(pod);
    await tab.visit('platform/object/core/pods/default/talker?tab=logs');
    await page.getByText('Cannot read the log').waitFor();
    await operator.run('create', 'secret', 'generic', 'late');
    await page.locator('.log-line', { hasText: 'first' }).waitFor({ timeout: timeoutMs });
    await writeFile(next, '');
    await page.locator('.log-line', { hasText: /^again$/ }).waitFor({ timeout: timeoutMs });
    const lines = await page.locator('.log-line').allInnerTexts();
    assert.deepEqual(lines, ['first', '──── started again ────', 'again']);
  });

  it('reads a log again when the connection was lost', async () => {
    const { page } = tab;
    await page.route(/pods\/talker\/log/, route => route.abort());
    await tab.visit('platform/object/core/pods/default/talker');
    await page.getByRole('heading', { name: 'talker' }).waitFor();
    await activate(page.getByRole('tab', { name: 'Logs' }));
    await page.getByText('Reconnecting…').waitFor();
    await page.unroute(/pods\/talker\/log/);
    await page.locator('.log-line', { hasText: 'again' }).waitFor();
    await page.getByText('Reconnecting…').waitFor({ state: 'detached' });
  });

  it('orders once, however often that is asked', async () => {
    const { page } = tab;
    let sent = 0;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(/serviceinstances\?fieldManager/, async route => {
      sent += 1;
      await released;
      await route.continue();
    });
    await tab.visit('onboarding/catalogue/dinosaurs?ns=acme');
    await type(page.getByLabel('Name', { exact: true }), 'rex');
    const order = page.getByRole('button', { name: 'Order', exact: true });
    await activate(order);
    await eventually(() => sent === 1, { what: 'the request' });
    await page.keyboard.press('Enter');
    assert.equal(await reasonAt(order), 'It is under way');
    release();
    await page.getByRole('heading', { name: 'rex' }).waitFor();
    assert.equal(sent, 1);
  });
});
