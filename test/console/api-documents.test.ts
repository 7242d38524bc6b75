import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually, findChromium, startTestLandscape, type TestLandscape, whySkipped } from '@chandlery/testing';
import { type Person, personWith } from '../scenarios/provider-validation/support/people.ts';
import { activate, reach, reasonAt, type } from './support/by-keyboard.ts';
import { type ConsoleBrowser, type ConsoleTab, startConsoleBrowser } from './support/console-browser.ts';
import { signInTo } from './support/console-people.ts';

const chromium = await findChromium();

/** What a tenant could write into the schema of a kind to run script in another user's console. */
const markup = '<img src=x onerror="document.title=\'broken\'">';

const hostileKind = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boats.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'boats', kind: 'Boat' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', description: markup, properties: { sail: { type: 'string' } } } },
          },
        },
      },
    ],
  },
};

describe('API documents in the console', { skip: whySkipped(chromium) }, () => {
  let landscape: TestLandscape;
  let browser: ConsoleBrowser;
  let tab: ConsoleTab;
  let person: Person;
  const sent: { readonly method: string; readonly url: string }[] = [];

  before(async () => {
    landscape = await startTestLandscape({ flags: ['--local-clusters', 'off'] });
    person = personWith(landscape.kubeconfig, 'onboarding');
    await person.run('create', 'namespace', 'acme');
    await person.apply(hostileKind);
    browser = await startConsoleBrowser(landscape, chromium);
    tab = await browser.open();
    await tab.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    tab.page.on('request', request => sent.push({ method: request.method(), url: request.url() }));
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
  const answer = () => tab.page.locator('.answer');
  const status = () => answer().locator('.state');
  const documentOf = (doc: string, op: string): string =>
    `onboarding/apis?doc=${encodeURIComponent(doc)}&op=${encodeURIComponent(op)}`;

  it('lists the documents of the landscape and of the cluster, and opens one by keyboard', async () => {
    const { page } = tab;
    await press('g', 'a');
    await page.getByRole('heading', { name: 'API documents' }).waitFor();
    for (const name of ['Service manager', 'Fleet', 'Services and orders', 'Mesh', 'apps/v1', 'example.org/v1'])
      await page.getByRole('link', { name, exact: true }).first().waitFor();
    await tab.screenshot('api-documents');
    await press('j', 'Enter');
    await page.getByRole('navigation', { name: 'Operations' }).waitFor();
    await page.getByRole('heading', { name: 'Service manager' }).waitFor();
    await tab.screenshot('api-document');
  });

  it('shows an operation with parameters, body, responses and schema', async () => {
    const { page } = tab;
    await type(page.getByRole('searchbox'), 'service_instances');
    await eventually(async () => (await page.locator('a.operation').count()) < 20, { what: 'the search' });
    await activate(page.locator('a.operation', { hasText: 'POST' }).first());
    const card = page.getByRole('article');
    await card.getByRole('heading', { name: 'Body' }).waitFor();
    await card.getByRole('heading', { name: 'Responses' }).waitFor();
    await card.getByText('service_plan_id').first().waitFor();
    await tab.screenshot('api-operation');
  });

  it('tries a read with the token of the session, by keyboard alone', async () => {
    const { page } = tab;
    await tab.visit(documentOf('mesh', 'get /mesh/v1/meshes/{mesh}/proxies'));
    await page.getByRole('region', { name: 'Try it' }).waitFor();
    const send = page.getByRole('button', { name: 'Send', exact: true });
    assert.match(await reasonAt(send), /Fill in mesh first/);
    await reach(page.getByRole('searchbox'));
    await reach(page.getByLabel('mesh (required)'));
    await page.keyboard.type('onboarding');
    await press('Enter');
    await status().getByText('200').waitFor();
    assert.match(await answer().innerText(), /"mesh": "onboarding"/);
    await tab.screenshot('api-tried');
    await type(page.getByLabel('mesh (required)'), '../../secrets?x=1');
    await page.keyboard.press('Enter');
    await status().getByText('404').waitFor();
    assert.ok(sent.some(({ url }) => url.includes('/meshes/..%2F..%2Fsecrets%3Fx%3D1/proxies')));
  });

  it('sends what may change something only after a confirmation', async () => {
    const { page } = tab;
    await tab.visit(documentOf('api/v1', 'post /clusters/onboarding/api/v1/namespaces/{namespace}/configmaps'));
    await type(page.getByLabel('namespace (required)'), 'acme');
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'tried' } };
    await type(page.getByLabel('Body'), JSON.stringify(body));
    await activate(page.getByRole('button', { name: 'Send…' }));
    await page.getByText('This request may change the landscape').waitFor();
    await tab.screenshot('api-confirm');
    const isThere = async (): Promise<boolean> => (await person.find('configmap', 'tried', 'acme')) !== undefined;
    assert.equal(await isThere(), false);
    await press('Escape');
    assert.equal(sent.filter(({ method, url }) => method === 'POST' && url.includes('/configmaps')).length, 0);
    await activate(page.getByRole('button', { name: 'Send…' }));
    await activate(page.getByRole('button', { name: 'Send it' }));
    await status().getByText('201').waitFor();
    assert.equal(await isThere(), true);
    await activate(page.getByRole('button', { name: 'Send…' }));
    await activate(page.getByRole('button', { name: 'Send it' }));
    await status().getByText('409').waitFor();
  });

  it('copies the request as a command without the token, which is nowhere on the page', async () => {
    const { page } = tab;
    await activate(page.getByRole('button', { name: 'Copy as curl' }));
    await page.getByText('✓ Copied, without the token').waitFor();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.match(command, /^curl -X POST .*Bearer \$TOKEN.*'https:\/\/.*\/namespaces\/acme\/configmaps'$/);
    assert.ok(!command.includes(landscape.token));
    assert.ok(!(await page.content()).includes(landscape.token));
    assert.deepEqual(
      sent.filter(({ url }) => !url.startsWith(landscape.url) && !url.startsWith('data:') && !url.startsWith('blob:')),
      [],
    );
  });

  it('shows text of tenants as text', async () => {
    const { page } = tab;
    await tab.visit(
      documentOf('apis/example.org/v1', 'post /clusters/onboarding/apis/example.org/v1/namespaces/{namespace}/boats'),
    );
    await page.getByText(markup).first().waitFor();
    assert.equal(await page.locator('main img').count(), 0);
    assert.notEqual(await page.title(), 'broken');
  });

  it('tries with the rights of the session and no others', async () => {
    await person.run('create', 'serviceaccount', 'guest', '-n', 'acme');
    const token = (await person.run('create', 'token', 'guest', '-n', 'acme')).trim();
    await using theirs = await browser.open();
    const { page } = theirs;
    await signInTo(
      theirs,
      token,
      documentOf('api/v1', 'get /clusters/onboarding/api/v1/namespaces/{namespace}/secrets'),
    );
    await type(page.getByLabel('namespace (required)'), 'acme');
    await activate(page.getByRole('button', { name: 'Send', exact: true }));
    await page.locator('.answer .state').getByText('403').waitFor();
    // A response to a try is shown, and does not end the session.
    await theirs.visit(documentOf('orders', 'get /1/orders'));
    await activate(page.getByRole('button', { name: 'Send', exact: true }));
    await page.locator('.answer .state').first().waitFor();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  });
});
