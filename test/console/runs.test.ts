import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { eventually, findChromium, startTestLandscape, type TestLandscape, whySkipped } from '@chandlery/testing';
import { type Person, personWith } from '../scenarios/provider-validation/support/people.ts';
import { activate, reach, reasonAt, type } from './support/by-keyboard.ts';
import { type ConsoleBrowser, type ConsoleTab, startConsoleBrowser } from './support/console-browser.ts';

const chromium = await findChromium();
const timeoutMs = 120_000;

/** The second node fails until this file is there. */
const repair = `/tmp/chandlery-console-${process.pid}-${Date.now()}`;

const print = (script: string): object => ({ image: 'alpine:3.7', command: ['sh', '-c', script] });

const service = {
  name: 'resize photos',
  description: 'Makes photos smaller',
  parameters: [{ name: 'width', type: 'int', description: 'in pixels', default: '640' }],
  controller: {
    $schema: 'urn:ivcap:schema:service.argo-wf.1',
    entrypoint: 'main',
    templates: [
      {
        name: 'main',
        dag: {
          tasks: [
            { name: 'fetch', template: 'fetch' },
            { name: 'resize', template: 'resize', dependencies: ['fetch'] },
            { name: 'index', template: 'index', dependencies: ['fetch'] },
            { name: 'publish', template: 'index', dependencies: ['resize', 'index'] },
          ],
        },
      },
      { name: 'fetch', container: print('echo fetched 12 photos') },
      {
        name: 'resize',
        container: print(
          `for n in 1 2 3; do echo "photo $n"; done; test -e ${repair} || { echo "no space left for photo 4" >&2; exit 3; }`,
        ),
      },
      { name: 'index', container: print('echo indexed') },
    ],
  },
};

/** What a tenant could write to run script in the browser of who looks, or to hide what is shown. */
const markup = '<img src=x onerror="document.title=\'broken\'">';
const escapes = '\u001b[2J\u001b]0;broken\u0007\u202e';

const hostileWorkflow = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'hostile', namespace: 'default' },
  spec: {
    entrypoint: 'main',
    arguments: { parameters: [{ name: 'text', value: `${markup}${escapes}` }] },
    templates: [
      {
        name: 'main',
        steps: [
          [
            {
              name: 'say',
              template: 'say',
              arguments: { parameters: [{ name: 'text', value: `${markup}${escapes}` }] },
            },
          ],
          [{ name: 'end', template: 'end' }],
        ],
      },
      {
        name: 'say',
        inputs: { parameters: [{ name: 'text' }] },
        outputs: { parameters: [{ name: 'said', valueFrom: { path: '/tmp/said' } }] },
        container: {
          image: 'alpine:3.7',
          command: [
            'sh',
            '-c',
            'printf "%s\\n" "$1" | tee /tmp/said; printf "\\033]0;broken\\007<b>bold</b>\\n"',
            'say',
          ],
          args: ['{{inputs.parameters.text}}'],
        },
      },
      { name: 'end', container: { image: 'alpine:3.7', command: ['sh', '-c', 'exit 1'] } },
    ],
  },
};

describe('Runs in the console', { skip: whySkipped(chromium) }, () => {
  let landscape: TestLandscape;
  let browser: ConsoleBrowser;
  let tab: ConsoleTab;
  let onboarding: Person;

  before(async () => {
    landscape = await startTestLandscape({ flags: ['--local-clusters', 'on'] });
    onboarding = personWith(landscape.kubeconfig, 'onboarding');
    const made = await landscape.request('/1/services2', { body: service });
    assert.equal(made.status, 201, made.text);
    browser = await startConsoleBrowser(landscape, chromium);
    tab = await browser.open();
    await eventually(
      async () => {
        await tab.goto('onboarding/home');
        return tab.page.getByRole('heading', { name: 'Sign in to Chandlery' }).isVisible();
      },
      { timeoutMs, what: 'the console to be built' },
    );
    await tab.signIn(landscape.token);
    await tab.page.getByRole('heading', { name: 'Home' }).waitFor();
  });
  after(async () => {
    await tab?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await landscape?.[Symbol.asyncDispose]();
    await rm(repair, { force: true });
  });

  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await tab.page.keyboard.press(key);
  };
  const node = (name: RegExp) => tab.page.locator('.graph-content').getByRole('button', { name });
  const focusedText = (): Promise<string> => tab.page.evaluate('document.activeElement.innerText');

  it('orders a workflow, follows it, and shows why a node failed', async () => {
    const { page } = tab;
    await tab.visit('onboarding/catalogue?ns=default');
    await activate(page.getByRole('link', { name: 'resize photos' }));
    await type(page.getByLabel('Name', { exact: true }), 'holidays');
    await activate(page.getByRole('button', { name: 'Order', exact: true }));
    await page.getByRole('heading', { name: 'holidays' }).waitFor();
    await reach(page.getByRole('link', { name: 'Home' }));
    await press('g', 'o');
    await page.getByRole('heading', { name: 'Orders' }).waitFor();
    await page.getByRole('link', { name: 'holidays' }).waitFor();
    await tab.screenshot('orders');
    await press('j', 'Enter');
    await page.getByRole('heading', { name: 'holidays' }).waitFor();
    await node(/resize.*Failed/s).waitFor({ timeout: timeoutMs });
    await page.locator('.page-head .state-failed').first().waitFor();
    const panel = page.getByRole('region', { name: 'Node resize' });
    await panel.getByText('Error (exit code 3)').waitFor();
    await panel.getByText('no space left for photo 4').waitFor();
    assert.match(await panel.locator('.fact', { hasText: 'Exit code' }).innerText(), /3/);
    await node(/publish.*Omitted/s).waitFor();
    await tab.screenshot('run-failed');
  });

  it('goes from node to node with the arrow keys, and reads the log of each', async () => {
    const { page } = tab;
    await reach(node(/resize/));
    await press('ArrowLeft');
    assert.match(await focusedText(), /fetch/);
    await press('Enter');
    await page.getByRole('region', { name: 'Node fetch' }).getByText('fetched 12 photos').waitFor();
    assert.match(page.url(), /node=/);
    await press('ArrowRight', 'ArrowDown', 'ArrowUp');
    assert.match(await focusedText(), /resize|index/);
    await reach(page.getByRole('button', { name: 'List', exact: true }));
    await press('Enter');
    await reach(page.locator('.graph-list').getByRole('button', { name: /resize/ }));
    await press('Enter');
    const panel = page.getByRole('region', { name: 'Node resize' });
    await type(panel.getByLabel('Search'), 'photo 2');
    await eventually(async () => (await panel.locator('.log-line').count()) === 1, { what: 'one line of the log' });
    await tab.screenshot('run-list');
    await reach(page.getByLabel('Only problems'));
    await press('Space');
    await eventually(async () => (await page.locator('.graph-list li').count()) < 5, { what: 'only problems' });
    await press('Space');
    await reach(page.getByRole('button', { name: 'Graph', exact: true }));
    await press('Enter');
    await node(/resize/).waitFor();
  });

  it('retries what failed, and it succeeds', async () => {
    const { page } = tab;
    await writeFile(repair, '');
    const stop = page.getByRole('button', { name: 'Stop…' });
    assert.equal(await reasonAt(stop), 'It has ended');
    await reach(page.getByRole('button', { name: 'Retry' }));
    await press('Enter');
    await node(/resize.*Succeeded/s).waitFor({ timeout: timeoutMs });
    await node(/publish.*Succeeded/s).waitFor({ timeout: timeoutMs });
    await page.locator('.page-head .state-ready').first().waitFor({ timeout: timeoutMs });
    assert.equal(await node(/fetch/).count(), 1);
    await tab.screenshot('run-succeeded');
    await activate(page.getByRole('tab', { name: 'Order' }));
    await page.getByText('resize photos').waitFor();
    await page.getByText('640').waitFor();
    await tab.screenshot('run-order');
    await activate(page.getByRole('tab', { name: 'Products' }));
    await page.getByText('This order has made no artifacts').waitFor();
    await activate(page.getByRole('tab', { name: 'Whole log' }));
    await page.getByText('fetched 12 photos').waitFor();
    await tab.screenshot('run-log');
  });

  it('stops a run after it was confirmed, and resubmits it', async () => {
    const { page } = tab;
    const slow = {
      ...service,
      name: 'slow',
      controller: { ...service.controller, templates: [{ name: 'main', container: print('echo begun; sleep 600') }] },
    };
    const { id } = (await landscape.request('/1/services2', { body: slow })).json<{ id: string }>();
    const made = await landscape.request('/1/orders', { body: { service: id, name: 'endless', parameters: [] } });
    const order = made.json<{ id: string }>().id.split(':').at(-1);
    await tab.visit(`onboarding/orders/default/${order}`);
    await page.getByText('begun').waitFor({ timeout: timeoutMs });
    const cancelled = page.locator('.page-head .state', { hasText: 'Cancelled' });
    await activate(page.getByRole('button', { name: 'Stop…' }));
    await tab.assertAccessible('stop');
    await activate(page.getByRole('button', { name: 'Stop it' }));
    await cancelled.waitFor({ timeout: timeoutMs });
    await activate(page.getByRole('button', { name: 'Resubmit' }));
    await eventually(() => !page.url().includes(String(order)), { what: 'the new order' });
    await page.getByText('begun').waitFor({ timeout: timeoutMs });
    await activate(page.getByRole('button', { name: 'Terminate…' }));
    await activate(page.getByRole('button', { name: 'Terminate it' }));
    await cancelled.waitFor({ timeout: timeoutMs });
  });

  it('shows Workflows that no order owns, and text of tenants as text', async () => {
    const { page } = tab;
    const path = '/clusters/platform/apis/argoproj.io/v1alpha1/namespaces/default/workflows';
    const made = await landscape.request(path, { body: hostileWorkflow });
    assert.equal(made.status, 201, made.text);
    await tab.visit('platform/orders');
    await page.getByRole('link', { name: 'hostile' }).waitFor();
    assert.equal(await page.locator('tbody tr').count(), 1, 'those of orders are not listed');
    await tab.screenshot('workflow-runs');
    await activate(page.getByRole('link', { name: 'hostile' }));
    await page.locator('.page-head .state-failed').first().waitFor({ timeout: timeoutMs });
    await activate(node(/say/));
    await page.getByRole('region', { name: 'Node say' }).locator('.log-line', { hasText: '<b>bold</b>' }).waitFor();
    const text = await page.locator('main').innerText();
    assert.ok(text.split(markup).length >= 4, `inputs, outputs and the log show it as text: ${text}`);
    assert.doesNotMatch(text, /[\u001b\u0007\u202e]/);
    assert.equal(await page.locator('main img, main script, main b').count(), 0);
    assert.notEqual(await page.title(), 'broken');
    await tab.screenshot('run-hostile');
    await activate(page.getByRole('button', { name: 'Retry' }));
    await page.getByText('✓ Retry was accepted').waitFor();
    await activate(page.getByRole('button', { name: 'Resubmit' }));
    await page.getByRole('heading', { name: /^hostile-/ }).waitFor();
  });

  it('says why a reader may not control a run', async () => {
    const rules = [{ apiGroups: ['orders.chandlery.io'], resources: ['*'], verbs: ['get', 'list', 'watch'] }];
    await onboarding.apply({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'orders-reader' },
      rules,
    });
    await onboarding.run('create', 'serviceaccount', 'reader', '-n', 'default');
    await onboarding.run(
      ...['create', 'rolebinding', 'reader', '-n', 'default'],
      ...['--clusterrole=orders-reader', '--serviceaccount=default:reader'],
    );
    const token = (await onboarding.run('create', 'token', 'reader', '-n', 'default')).trim();
    await using theirs = await browser.open();
    const { page } = theirs;
    await theirs.goto('onboarding/orders?ns=default');
    await theirs.signIn(token);
    await activate(page.getByRole('link', { name: 'holidays' }));
    await page
      .locator('.graph-content')
      .getByRole('button', { name: /resize/ })
      .waitFor();
    const resubmit = page.getByRole('button', { name: 'Resubmit' });
    await eventually(async () => (await reasonAt(resubmit)).includes('roles do not include'), {
      what: 'the reason why it cannot be resubmitted',
    });
    await theirs.screenshot('run-reader');
  });
});
