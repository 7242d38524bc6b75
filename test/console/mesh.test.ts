import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually, findChromium, findEnvoy, whySkipped } from '@chandlery/testing';
import { type MachineMesh, startMachineMesh } from '../clients/support/machine-mesh.ts';
import { callPlainly } from '../clients/support/plain-workload.ts';
import { allowCalls, declareService, setSplit } from '../conformance/xds/support/declare-service.ts';
import { namespace, object, tenant } from '../conformance/xds/support/mesh-landscape.ts';
import type { TestProxy } from '../conformance/xds/support/test-proxy.ts';
import { activate, choose, reach, type } from './support/by-keyboard.ts';
import { type ConsoleBrowser, type ConsoleTab, startConsoleBrowser } from './support/console-browser.ts';
import { signInTo } from './support/console-people.ts';

const chromium = await findChromium();
const envoy = await findEnvoy();
const timeoutMs = 60_000;

/** What tenants and proxies could say to run script in another user's console, or to hide what is shown. */
const markup = '<img src=x onerror="document.title=\'broken\'">';
const hostileMessage = `${markup}\u001b]0;broken\u0007 \u202ecannot read it`;

/** Allows other calls than the ones that are made. */
const narrowed = `apiVersion: specs.smi-spec.io/v1alpha4
kind: HTTPRouteGroup
metadata:
  name: books
  namespace: ${namespace}
spec:
  matches:
    - name: orders
      methods: [POST]
      pathRegex: /orders
    - name: '${markup.replaceAll("'", "''")}'
      methods: [DELETE]
`;

describe('The mesh in the console', { skip: whySkipped(chromium) || whySkipped(envoy) }, () => {
  let world: MachineMesh;
  let browser: ConsoleBrowser;
  let tab: ConsoleTab;
  let rejecting: TestProxy;

  before(async () => {
    world = await startMachineMesh({ binary: envoy.path ?? '', count: 1 });
    const { client } = world.mesh;
    // A shop around the service that Envoys serve: a split, a service without endpoints, and one that no caller may call.
    for (const [index, name] of ['stock', 'stock-v1', 'stock-v2', 'billing'].entries())
      await declareService(client, { name, endpoints: [{ ip: `10.1.0.${index + 1}`, zone: 'eu-1a' }] });
    await declareService(client, { name: 'archive' });
    await setSplit(client, 'stock', { 'stock-v1': 80, 'stock-v2': 20 });
    await allowCalls(client, { name: 'stock', from: ['web', 'books'], to: 'stock' });
    await allowCalls(client, { name: 'billing', from: ['books'], to: 'billing', pathRegex: '/invoices' });
    rejecting = await world.mesh.proxy({ account: 'web', nodeId: 'old-proxy' });
    rejecting.ask('cluster', []);
    const response = await rejecting.next('cluster');
    rejecting.ask('cluster', [], { nonce: response.nonce, error: { code: 3, message: hostileMessage } });
    browser = await startConsoleBrowser(world.mesh.landscape, chromium);
    tab = await browser.open();
    await tab.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await signInTo(tab, world.mesh.landscape.token, `${tenant}/home`);
  });
  after(async () => {
    await tab?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await rejecting?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await tab.page.keyboard.press(key);
  };
  const node = (name: RegExp) => tab.page.locator('.graph-content').getByRole('button', { name });
  /** The status of a call that the Envoys of both sides let through or not. */
  const statusOfCall = async (): Promise<number> => {
    try {
      const call = { ...world.books, path: '/', authority: `books.${namespace}` };
      return (await callPlainly('1.1', call)).status;
    } catch {
      return 0;
    }
  };
  const untilCall = (isWanted: (status: number) => boolean, what: string): Promise<boolean> =>
    eventually(async () => isWanted(await statusOfCall()), { timeoutMs, what });
  const assertNoMarkup = async (): Promise<void> => {
    const { page } = tab;
    assert.equal(await page.locator('main img, main script, main b').count(), 0);
    assert.doesNotMatch(await page.locator('main').innerText(), /[\u001b\u0007\u202e]/);
    assert.notEqual(await page.title(), 'broken');
  };

  it('draws who calls whom, and opens a service with its neighbours', async () => {
    const { page } = tab;
    await press('g', 'm');
    await page.getByRole('heading', { name: 'Mesh', exact: true }).waitFor();
    await node(/books/).waitFor();
    await page.locator('.graph-counts').waitFor();
    await tab.assertAccessible('mesh');
    await tab.screenshot('mesh');
    await reach(page.getByRole('button', { name: 'List', exact: true }));
    await press('Enter');
    await page.getByRole('cell', { name: 'No endpoints' }).waitFor();
    await tab.assertAccessible('mesh as a list');
    await tab.screenshot('mesh-list');
    await reach(page.getByRole('button', { name: 'Graph', exact: true }));
    await press('Enter');
    await type(page.getByRole('searchbox', { name: 'Search' }), 'stock');
    await eventually(async () => (await node(/billing/).count()) === 0, { what: 'the search' });
    await node(/^stock(?!-)/).focus();
    await press('Enter');
    await page.getByRole('heading', { name: 'shop/stock' }).waitFor();
    const split = page.locator('section.card', { has: page.getByRole('heading', { name: 'Traffic split' }) });
    await split.getByText('80 %').waitFor();
    await node(/stock-v1/).waitFor();
    await node(/web/).waitFor();
    const endpoint = page.getByRole('row', { name: /10\.1\.0\.1:8080/ });
    assert.match(await endpoint.innerText(), /Healthy[\s\S]*eu-1a[\s\S]*kubernetes/);
    await page
      .getByRole('row', { name: /Denied.*billing/ })
      .first()
      .waitFor();
    await tab.assertAccessible('service of the mesh');
    await tab.screenshot('mesh-service');
  });

  it('explains a call that is allowed, and which policy allows it, by keyboard alone', async () => {
    const { page } = tab;
    await untilCall(status => status === 200, 'the call to be let through');
    await reach(page.getByRole('tab', { name: 'Services' }));
    await press('ArrowRight');
    await page.getByText('Name who calls, and which service').waitFor();
    await reach(page.getByLabel('Caller'));
    await page.keyboard.type(`${namespace}/web`);
    await reach(page.getByLabel('Service', { exact: true }));
    await page.keyboard.type(`${namespace}/books`);
    await reach(page.getByLabel('Method'));
    await page.keyboard.type('GET');
    await reach(page.getByLabel('Path'));
    await page.keyboard.type('/');
    await press('Enter');
    await page.getByText(/Allowed: GET \/ from shop\/web to shop\/books/).waitFor();
    await page.getByText(/Allowed by TrafficTarget shop\/books, match "calls"/).waitFor();
    assert.match(page.url(), /tab=explain.*from=shop%2Fweb/);
    await tab.assertAccessible('explained, allowed');
    await tab.screenshot('mesh-allowed');
  });

  it('follows changes that others make, without being asked', async () => {
    const { page } = tab;
    const { client } = world.mesh;
    await allowCalls(client, { name: 'books', from: ['other'], to: 'books' });
    await page.getByText(/Denied: GET \/ from shop\/web to shop\/books/).waitFor();
    await allowCalls(client, { name: 'books', from: ['web'], to: 'books' });
    await page.getByText(/Allowed: GET \/ from shop\/web to shop\/books/).waitFor();
  });

  it('denies the call by a change of its policy, and explains by which', async () => {
    const { page } = tab;
    await activate(page.getByRole('link', { name: 'TrafficTarget shop/books' }).first());
    await page.getByRole('heading', { name: 'books' }).waitFor();
    await page.getByRole('textbox', { name: 'YAML of TrafficTarget books' }).waitFor();
    await tab.visit(`${tenant}/object/specs.smi-spec.io/httproutegroups/${namespace}/books?tab=yaml`);
    await reach(page.getByRole('button', { name: 'Edit' }));
    await press('Enter');
    await reach(page.getByRole('textbox', { name: 'Edit HTTPRouteGroup books' }));
    await press('Control+a');
    // Pasted, as a user would: the editor itself takes the text.
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(narrowed)})`);
    await press('Control+v');
    await reach(page.getByRole('button', { name: 'Save' }));
    await press('Enter');
    await page.getByText('✓ Saved').waitFor();
    await untilCall(status => status !== 200, 'the Envoys to deny the call');
    await tab.visit(`${tenant}/mesh?tab=explain&from=shop/web&to=shop/books&method=GET&path=/`);
    await page.getByText(/Denied: GET \/ from shop\/web to shop\/books/).waitFor();
    const misses = page.locator('.near-misses');
    await misses.getByText('TrafficTarget shop/books, match "orders": the method must be POST').waitFor();
    await misses.getByText(markup).waitFor();
    await assertNoMarkup();
    await tab.assertAccessible('explained, denied');
    await tab.screenshot('mesh-denied');
    await choose(page.getByRole('combobox', { name: 'Method' }), 'POST');
    await type(page.getByRole('textbox', { name: 'Path' }), '/orders/1');
    await press('Enter');
    await page.getByText(/Allowed: POST \/orders\/1/).waitFor();
  });

  it('denies all calls when the policy is deleted', async () => {
    const { page } = tab;
    await reach(page.getByRole('link', { name: 'TrafficTarget shop/books' }).first());
    await press('Enter');
    await reach(page.getByRole('button', { name: 'Delete…' }));
    await press('Enter');
    await page.keyboard.type('books');
    await press('Enter');
    await page.getByText('This object was deleted').waitFor();
    await tab.visit(`${tenant}/mesh?tab=explain&from=shop/web&to=shop/books&method=POST&path=/orders/1`);
    await page
      .getByText('No TrafficTarget lets shop/web call shop/books, whose workloads run as shop/books')
      .first()
      .waitFor();
    await untilCall(status => status !== 200, 'the Envoys to deny the call');
    await tab.screenshot('mesh-denied-by-none');
  });

  it('shows what proxies have accepted and rejected, and why', async () => {
    const { page } = tab;
    await reach(page.getByRole('tab', { name: 'Explain a call' }));
    await press('ArrowRight');
    const row = page.getByRole('row', { name: /old-proxy/ });
    await row.getByText('Rejected').waitFor();
    await page
      .getByRole('row', { name: /books-1/ })
      .getByText('Accepted')
      .waitFor();
    await page.getByRole('row', { name: /web-1/ }).getByText('Accepted').waitFor();
    await press('j', 'Enter');
    const card = page.getByRole('region', { name: 'Proxy old-proxy' });
    await card.getByText('It rejected its cluster configuration').waitFor();
    await card.getByText(markup).waitFor();
    await assertNoMarkup();
    await tab.assertAccessible('proxies');
    await tab.screenshot('mesh-proxies');
  });

  it('shows certificates with identity, expiry and root', async () => {
    const { page } = tab;
    await reach(page.getByRole('tab', { name: 'Proxies' }));
    await press('ArrowRight');
    const row = page.getByRole('row', { name: /books-1/ });
    assert.match(await row.innerText(), /\/sa\/books[\s\S]*in \d+h[\s\S]*signs/);
    await page.getByText('Signs', { exact: false }).first().waitFor();
    await page.getByRole('link', { name: 'All MeshRootCertificates' }).waitFor();
    await tab.assertAccessible('certificates');
    await tab.screenshot('mesh-certificates');
  });

  it('shows nothing to users without the rights, and says which they need', async () => {
    const { client, landscape } = world.mesh;
    const cluster = landscape.cluster(tenant);
    await client.create(
      { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'rolebindings', namespace },
      object(
        'rbac.authorization.k8s.io/v1',
        'RoleBinding',
        { name: 'reader', namespace },
        {
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
          subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace }],
        },
      ),
    );
    const made = await cluster.kubectl(['create', 'serviceaccount', 'reader', '-n', namespace]);
    assert.equal(made.code, 0, made.stderr);
    const token = (await cluster.kubectl(['create', 'token', 'reader', '-n', namespace])).stdout.trim();
    await using theirs = await browser.open();
    await signInTo(theirs, token, `${tenant}/mesh?ns=${namespace}`);
    await theirs.page.getByText('You may not read this mesh').waitFor();
    await theirs.assertAccessible('mesh without rights');
    await theirs.screenshot('mesh-forbidden');
    // The refusal of one API does not end the session.
    await theirs.visit(`${tenant}/list/core/services?ns=${namespace}`);
    await theirs.page.getByRole('link', { name: 'books' }).waitFor();
  });

  it('says what to do when there is nothing yet', async () => {
    const { page } = tab;
    await world.mesh.landscape.createCluster('empty');
    await tab.visit('empty/mesh');
    await node(/kubernetes/)
      .or(page.getByText('This mesh has no services yet'))
      .first()
      .waitFor();
    const service = object('v1', 'Service', { name: 'late' }, { spec: { ports: [{ port: 80 }] } });
    const services = { group: '', version: 'v1', plural: 'services', namespace: 'default' };
    await world.mesh.clientOf('empty').create(services, service);
    await node(/late/).waitFor();
    await tab.visit('empty/mesh?q=nothing');
    await page.getByText('No service has "nothing" in its name').waitFor();
    await tab.visit('empty/mesh?tab=proxies');
    await page.getByText('No proxy is connected to this mesh').waitFor();
    await tab.assertAccessible('mesh without proxies');
    await tab.screenshot('mesh-empty');
    await tab.visit('empty/mesh?service=a/b');
    await page.getByText('The mesh has no service "a/b"').waitFor();
  });
});
