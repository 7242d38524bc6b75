import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  eventually,
  findChromium,
  freePorts,
  runProcess,
  startTestLandscape,
  type TempFolder,
  type TestLandscape,
  tempFolder,
  whySkipped,
} from '@chandlery/testing';
import type { Locator } from 'playwright-core';
import { parse, stringify } from 'yaml';
import { type Person, peopleOf, personWith } from '../scenarios/provider-validation/support/people.ts';
import { installDatabases } from '../scenarios/support/install-databases.ts';
import { OidcIssuer } from '../security/support/oidc-issuer.ts';
import { activate, choose, reach, reasonAt, type } from './support/by-keyboard.ts';
import { type ConsoleBrowser, type ConsoleTab, startConsoleBrowser } from './support/console-browser.ts';

const root = join(import.meta.dirname, '../..');
const chandlery = join(root, 'apps/cli/bin/chandlery.mjs');
const chromium = await findChromium();
const timeoutMs = 120_000;

/** What a tenant could call things to run script in another user's console, or to hide what is shown. */
const hostile = {
  label: 'x-.-onerror',
  annotation: '<img src=x onerror="document.title=\'broken\'">',
  message: '<script>document.title="broken"</script>\u001b[2J\u001b]0;broken\u0007\u202etxt.exe',
};

/** Replaces a line of a YAML editor by keys. */
async function editLine(editor: Locator, line: RegExp, text: string): Promise<void> {
  await reach(editor);
  const { keyboard } = editor.page();
  const at = (await editor.locator('.cm-line').allInnerTexts()).findIndex(each => line.test(each));
  await keyboard.press('Control+Home');
  for (let step = 0; step < at; step++) await keyboard.press('ArrowDown');
  await keyboard.press('Home');
  await keyboard.press('Home');
  await keyboard.press('Shift+End');
  await keyboard.type(text);
}

const untilRows = (page: ConsoleTab['page'], count: number): Promise<boolean> =>
  eventually(async () => (await page.locator('tbody tr').count()) === count, { what: `${count} rows` });

describe('The console', { skip: whySkipped(chromium) }, () => {
  let folder: TempFolder;
  let issuer: OidcIssuer;
  let landscape: TestLandscape;
  let browser: ConsoleBrowser;
  let tab: ConsoleTab;
  let buyer: Person;

  before(async () => {
    const [port = 0] = await freePorts(1);
    folder = await tempFolder();
    issuer = await OidcIssuer.start({ alice: [] }, `https://127.0.0.1:${port}/console/`);
    const oidc = [{ issuer: issuer.url, audiences: ['console'], usernamePrefix: 'oidc:' }];
    await writeFile(folder.join('settings.yaml'), stringify({ oidc }));
    const flags = ['--config', folder.join('settings.yaml')];
    landscape = await startTestLandscape({ flags, port });
    buyer = personWith(landscape.kubeconfig, 'onboarding');
    await installDatabases(peopleOf(landscape).operator);
    await buyer.run('create', 'namespace', 'acme');
    browser = await startConsoleBrowser(landscape, chromium);
    tab = await browser.open();
  });
  after(async () => {
    await tab?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await landscape?.[Symbol.asyncDispose]();
    await issuer?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  const cli = async (...args: readonly string[]): Promise<string> => {
    const all = [chandlery, ...args, '--data-dir', landscape.dataDir];
    const { code, stdout, stderr } = await runProcess(process.execPath, all, { timeoutMs: 120_000 });
    assert.equal(code, 0, stderr);
    return stdout.trim();
  };

  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await tab.page.keyboard.press(key);
  };
  /** Goes to a page with the keys that the sheet of shortcuts names. */
  const openPage = async (key: string, title: string): Promise<void> => {
    const { page } = tab;
    await reach(page.getByRole('link', { name: 'Home', exact: true }));
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await page.getByRole('heading', { name: title, exact: true }).waitFor();
  };

  it('is where the root leads browsers; others learn where the APIs are', async () => {
    const forPrograms = await landscape.request('/', { token: null });
    assert.equal(forPrograms.json<{ console: string }>().console, '/console/');
    assert.doesNotMatch(forPrograms.text, /secret|token"/i);
    const forBrowsers = await landscape.request('/', { token: null, headers: { accept: 'text/html' } });
    assert.match(forBrowsers.text, /Chandlery/);
  });

  it('signs in with a token, and holds it in memory alone', async () => {
    const { page } = tab;
    await eventually(
      async () => {
        await tab.goto('onboarding/home');
        return page.getByRole('heading', { name: 'Sign in to Chandlery' }).isVisible();
      },
      { timeoutMs, what: 'the console to be built' },
    );
    await tab.screenshot('sign-in');
    await tab.signIn('wrong');
    await page.getByText('Cannot sign in').waitFor();
    await tab.signIn(landscape.token);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])',
    );
    assert.ok(!kept.includes(landscape.token));
    await page
      .getByText(/^Loading/)
      .first()
      .waitFor({ state: 'hidden' });
    await tab.screenshot('home');
  });

  it('signs in by a one-time code of the command line', async () => {
    const address = await cli('console', 'kinds', '--browser=false');
    await using second = await browser.open();
    await second.page.goto(address);
    await second.page.getByRole('heading', { name: 'All kinds' }).waitFor();
    assert.equal(new URL(second.page.url()).hash, '');
    const code = new URL(address).hash.replace('#code=', '');
    const again = await landscape.request('/sign-in/sessions', { token: null, body: { code } });
    assert.equal(again.status, 401, 'a code works once');
    const log = await readFile(join(landscape.dataDir, 'audit.log'), 'utf8');
    assert.ok(!`${log}${landscape.process.stderr()}`.includes(code));
  });

  it('signs in at an OpenID provider', async () => {
    await using third = await browser.open();
    const { page } = third;
    await third.goto('onboarding/settings');
    await activate(page.getByRole('button', { name: /^Sign in at 127\.0\.0\.1/ }));
    await type(page.locator('input[name=login]'), 'alice');
    await type(page.locator('input[name=password]'), 'x');
    await activate(page.locator('[type=submit]'));
    await activate(page.locator('[type=submit]'));
    await page.getByText('oidc:alice').first().waitFor();
    assert.equal(new URL(page.url()).pathname + new URL(page.url()).search, '/console/onboarding/settings');
    assert.equal(await page.evaluate('sessionStorage.length'), 0);
  });

  it('serves files that may be cached for ever, and pages that no other site may embed', async () => {
    const start = await landscape.request('/console/', { token: null });
    assert.equal(start.headers.get('x-frame-options'), 'DENY');
    const policy = start.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
    assert.doesNotMatch(policy, /unsafe/);
    const script = /src="([^"]+\.js)"/.exec(start.text)?.[1] ?? '';
    const file = await landscape.request(script, { token: null });
    assert.match(file.headers.get('cache-control') ?? '', /immutable/);
    const sizes = await tab.page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map(entry => entry as PerformanceResourceTiming)
        .filter(({ name }) => name.endsWith('.js'))
        .map(({ encodedBodySize, decodedBodySize }) => [encodedBodySize, decodedBodySize] as const),
    );
    const sent = sizes.reduce((sum, [encoded]) => sum + encoded, 0);
    const plain = sizes.reduce((sum, [, decoded]) => sum + decoded, 0);
    assert.ok(sent > 0 && sent < 250 * 1024 && sent < plain / 2, `${sent} bytes of script are sent, of ${plain}`);
  });

  it('orders a database and shows it becoming ready', async () => {
    const { page } = tab;
    await type(page.getByLabel('Namespace'), 'acme');
    await eventually(() => /ns=acme/.test(page.url()), { what: 'the namespace in the address' });
    await eventually(
      async () => {
        await openPage('h', 'Home');
        await openPage('c', 'Catalogue');
        await page.getByRole('link', { name: 'PostgresDatabase' }).waitFor({ timeout: 3000 });
        return true;
      },
      { timeoutMs, what: 'the offering' },
    );
    await page.getByText('Provider postgres').waitFor();
    await page.getByText('Product of the fleet').waitFor();
    await tab.screenshot('catalogue');
    await activate(page.getByRole('button', { name: /^Providers/ }));
    await page.getByRole('link', { name: 'Dinosaur' }).waitFor({ state: 'detached' });
    assert.match(page.url(), /origin=provider/);
    await activate(page.getByRole('link', { name: 'PostgresDatabase' }));
    await type(page.getByLabel('Name', { exact: true }), 'shop');
    await type(page.getByLabel('version (required)'), '17');
    await activate(page.getByRole('button', { name: 'Check' }));
    await page.getByText('The server would accept this order').waitFor();
    await tab.screenshot('order');
    await activate(page.getByRole('button', { name: 'Order', exact: true }));
    await page.getByRole('heading', { name: 'shop' }).waitFor();
    await page.locator('.page-head .state-ready').waitFor({ timeout: timeoutMs });
    await tab.screenshot('instance-ready');
    await activate(page.getByRole('tab', { name: 'Relations' }));
    await page.getByRole('link', { name: /^PostgresDatabase\/shop/ }).waitFor();
    await tab.screenshot('relations');
  });

  it('follows the log of a pod, and shows its events', async () => {
    const { page } = tab;
    await activate(page.getByRole('link', { name: /^Pod\// }).first());
    await activate(page.getByRole('tab', { name: 'Logs' }));
    await page.getByText('database system is ready to accept connections').first().waitFor();
    await tab.screenshot('logs');
    await activate(page.getByRole('tab', { name: 'Events' }));
    await page.getByText('Started container postgres-17').waitFor();
    await tab.screenshot('events-of-object');
    await openPage('e', 'Events');
    await page
      .getByRole('link', { name: /^Pod\/postgres-17/ })
      .first()
      .waitFor();
    await tab.screenshot('events-of-cluster');
  });

  it('says when the last change of something that runs was not carried out', async () => {
    const { page } = tab;
    await choose(page.getByLabel('Cluster'), 'onboarding');
    await type(page.getByLabel('Namespace'), 'acme');
    await openPage('i', 'Instances');
    await activate(page.getByRole('link', { name: 'shop' }));
    await activate(page.getByRole('tab', { name: 'YAML' }));
    await activate(page.getByRole('button', { name: 'Edit' }));
    await editLine(page.getByRole('textbox', { name: 'Edit ServiceInstance shop' }), /version:/, '    version: "99"');
    await activate(page.getByRole('button', { name: 'Save' }));
    await page.locator('.page-head').getByText('UpdateFailed').waitFor({ timeout: timeoutMs });
    await page.locator('.page-head').getByText('"99" is not offered').waitFor();
    await tab.screenshot('instance-not-updated');
    await activate(page.getByRole('button', { name: 'Edit' }));
    await editLine(page.getByRole('textbox', { name: 'Edit ServiceInstance shop' }), /version:/, '    version: "17"');
    await activate(page.getByRole('button', { name: 'Save' }));
    await page.locator('.page-head').getByText('UpdateFailed').waitFor({ state: 'detached', timeout: timeoutMs });
    await activate(page.getByRole('tab', { name: 'Relations' }));
    await eventually(
      async () => {
        await activate(page.getByRole('button', { name: 'Refresh' }));
        await page.locator('.tree-node', { hasText: /Ready PostgresDatabase/ }).waitFor({ timeout: 2000 });
        return true;
      },
      { timeoutMs, what: 'the database to be as before' },
    );
  });

  it('shows what is wrong, and why', async () => {
    const { page } = tab;
    await openPage('c', 'Catalogue');
    await activate(page.getByRole('link', { name: 'PostgresDatabase' }));
    await type(page.getByLabel('Name', { exact: true }), 'broken');
    await type(page.getByLabel('version (required)'), '99');
    await activate(page.getByRole('button', { name: 'Order', exact: true }));
    await page.getByRole('heading', { name: 'broken' }).waitFor();
    await openPage('h', 'Home');
    const wrong = page.locator('section.card', { has: page.getByRole('heading', { name: /Wrong now/ }) });
    await wrong.getByText(/broker.*"99" is not offered/).waitFor({ timeout: timeoutMs });
    const changes = await page.locator('section.card', { hasText: 'Recent changes' }).innerText();
    assert.doesNotMatch(changes, /Secret|Operation|osb-/, 'what comes with other changes is not among them');
    await tab.screenshot('home-wrong');
    await activate(wrong.getByRole('link', { name: 'broken' }).first());
    await activate(page.getByRole('tab', { name: 'Conditions' }));
    await page
      .getByText(/"99" is not offered/)
      .first()
      .waitFor();
    await tab.screenshot('conditions');
  });

  it('lists any kind: filtered, sorted, by state, followed; the address is the state', async () => {
    const { page } = tab;
    await openPage('i', 'Instances');
    await page.getByText('postgresdatabase/default').first().waitFor();
    await activate(page.getByRole('button', { name: /Failed 1/ }));
    await page.getByRole('link', { name: 'broken' }).waitFor();
    await untilRows(page, 1);
    assert.match(page.url(), /state=failed/);
    await activate(page.getByRole('button', { name: /Failed 1/ }));
    await activate(page.getByRole('button', { name: 'Name' }));
    await untilRows(page, 2);
    await tab.screenshot('instances');
    await openPage('k', 'All kinds');
    await press('/');
    await page.keyboard.type('configmap');
    await activate(page.getByRole('link', { name: 'ConfigMap' }));
    await page.getByText('No config maps in namespace "acme"').waitFor();
    await buyer.run('create', 'configmap', 'lighthouse', '-n', 'acme');
    await page.getByRole('link', { name: 'lighthouse' }).waitFor();
    await reach(page.getByRole('link', { name: 'Home' }));
    await press('j', 'Enter');
    await page.getByRole('heading', { name: 'lighthouse' }).waitFor();
  });

  it('finds objects by a few letters, with the keyboard alone', async () => {
    const { page } = tab;
    await page.keyboard.press('Control+k');
    await page.keyboard.type('lighth');
    await page.getByRole('option', { name: /lighthouse/ }).waitFor();
    await tab.screenshot('palette');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'lighthouse' }).waitFor();
    await buyer.run('create', 'configmap', 'web-shop', '-n', 'acme');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('shop');
    await page.getByRole('option', { name: /^web-shop/ }).waitFor();
    const first = await page.getByRole('listbox', { name: 'Results' }).getByRole('option').first().innerText();
    assert.match(first, /^shop\b/, 'what has the name comes first');
    await page.keyboard.press('Escape');
    await press('?');
    await page.getByRole('heading', { name: 'Keyboard' }).waitFor();
    await tab.screenshot('shortcuts');
    await press('Escape', 'g', 'k');
    await page.getByRole('heading', { name: 'All kinds' }).waitFor();
    await tab.screenshot('all-kinds');
    await press('g', 's');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await activate(page.getByText('admin', { exact: true }).first());
    await page.getByText('Signed in as').first().waitFor();
    await tab.screenshot('settings');
    await press('Escape');
  });

  it('goes to clusters and changes settings by the palette', async () => {
    const { page } = tab;
    const choosePalette = async (text: string): Promise<void> => {
      await press('Control+k');
      await page.keyboard.type(text);
      await page.getByRole('option', { name: new RegExp(text, 'i') }).waitFor();
      await press('Enter');
    };
    await choosePalette('Open cluster platform');
    await page.getByText('Cluster "platform"', { exact: true }).waitFor();
    await choosePalette('Show times in UTC');
    await page
      .locator('main time')
      .first()
      .getByText(/^\d{4}-\d\d-\d\dT.*Z$/)
      .waitFor();
    await choosePalette('Show how long ago');
    await choosePalette('Keyboard shortcuts');
    await page.getByRole('heading', { name: 'Keyboard' }).waitFor();
    await press('Escape');
    await choosePalette('Open cluster onboarding');
    await page.getByText('Cluster "onboarding"', { exact: true }).waitFor();
  });

  it('keeps what it shows while the landscape cannot be reached, and says so quietly', async () => {
    const { page } = tab;
    await openPage('h', 'Home');
    await page.getByRole('link', { name: 'lighthouse' }).waitFor();
    await page.route('**/objectsearches', route => route.abort());
    await buyer.run('create', 'configmap', 'buoy', '-n', 'acme');
    await page.getByText('Reconnecting…').waitFor();
    await page.getByRole('link', { name: 'lighthouse' }).waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    await tab.screenshot('reconnecting');
    await page.unroute('**/objectsearches');
    await page.getByText('Reconnecting…').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'buoy' }).waitFor();
  });

  it('has all pages behind the present one on a narrow screen', async () => {
    const { page } = tab;
    await page.setViewportSize({ width: 390, height: 844 });
    const navigation = page.getByRole('navigation', { name: 'Pages' });
    await activate(navigation.getByText('Home', { exact: true }).first());
    await navigation.getByRole('link', { name: 'Settings' }).waitFor();
    await activate(navigation.getByRole('link', { name: 'All kinds' }));
    await page.getByRole('heading', { name: 'All kinds' }).waitFor();
    await navigation.getByRole('link', { name: 'Settings' }).waitFor({ state: 'hidden' });
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('edits YAML, notices a conflict, and keeps both changes', async () => {
    const { page } = tab;
    await buyer.run('create', 'configmap', 'rota', '-n', 'acme', '--from-literal=watch=first');
    await press('Control+k');
    await page.keyboard.type('rota');
    await page.getByRole('option', { name: /rota/ }).waitFor();
    await press('Enter');
    await activate(page.getByRole('tab', { name: 'YAML' }));
    await activate(page.getByRole('button', { name: 'Edit' }));
    const editor = page.getByRole('textbox', { name: 'Edit ConfigMap rota' });
    await reach(editor);
    await press('Control+End');
    await page.keyboard.type('immutable: false');
    await buyer.run('annotate', 'configmap', 'rota', '-n', 'acme', 'by=another');
    await page.getByText('This object was changed while you edited it').waitFor();
    assert.match(await reasonAt(page.getByRole('button', { name: 'Save' })), /Resolve the conflict first/);
    await tab.screenshot('conflict');
    await activate(page.getByRole('button', { name: 'Compare and continue' }));
    await tab.screenshot('conflict-compared');
    await activate(page.getByRole('button', { name: 'Check' }));
    await page.getByText('The server would accept this').waitFor();
    await activate(page.getByRole('button', { name: 'Save' }));
    await page.getByText('✓ Saved').waitFor();
    const saved = JSON.parse(await buyer.run('get', 'configmap', 'rota', '-n', 'acme', '-o', 'json')) as {
      immutable?: boolean;
    };
    assert.equal(saved.immutable, false);
  });

  it('opens the many relations of one kind in portions', async () => {
    const { page } = tab;
    const path = '/clusters/onboarding/api/v1/namespaces/acme/configmaps';
    const create = async (metadata: object) => {
      const made = await landscape.request(path, { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata } });
      assert.equal(made.status, 201, made.text);
      return made.json<{ metadata: { uid: string } }>().metadata.uid;
    };
    const uid = await create({ name: 'fleet' });
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'fleet', uid }];
    await Promise.all(Array.from({ length: 210 }, (_, at) => create({ name: `ship-${at}`, ownerReferences })));
    await tab.visit('onboarding/object/core/configmaps/acme/fleet?tab=relations');
    await activate(page.getByRole('button', { name: '200 of 205 more ConfigMap' }));
    await page.getByRole('button', { name: /^5 more ConfigMap/ }).waitFor();
    assert.equal(await page.locator('.tree-node').count(), 206);
  });

  it('shows text of tenants as text', async () => {
    const { page } = tab;
    await buyer.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'hostile',
        namespace: 'acme',
        labels: { [hostile.label]: 'yes' },
        annotations: { note: hostile.annotation },
      },
      data: { [`key-${hostile.label}`]: hostile.message },
    });
    await tab.visit('onboarding/object/core/configmaps/acme/hostile');
    await page.getByText(hostile.annotation).waitFor();
    const text = await page.locator('main').innerText();
    assert.ok(text.includes('<script>document.title="broken"</script>'));
    assert.doesNotMatch(text, /[\u001b\u0007\u202e]/);
    await activate(page.getByRole('tab', { name: 'YAML' }));
    await page.getByRole('textbox', { name: 'YAML of ConfigMap hostile' }).waitFor();
    const yaml = await page.getByRole('textbox', { name: 'YAML of ConfigMap hostile' }).innerText();
    assert.ok(yaml.includes('<script>') && !yaml.includes('\u202e'), yaml);
    assert.equal(await page.locator('main img[src], main script').count(), 0);
    assert.notEqual(await page.title(), 'broken');
    await tab.screenshot('hostile');
  });

  it('deletes an object after its name was typed', async () => {
    const { page } = tab;
    await activate(page.getByRole('button', { name: 'Delete…' }));
    await type(page.getByLabel('Type the name to confirm'), 'hostile');
    await tab.screenshot('delete');
    await activate(page.getByRole('button', { name: 'Delete', exact: true }));
    await page.getByText('This object was deleted').waitFor();
  });

  it('shows a tenant only what is theirs, and says why something cannot be done', async () => {
    const kubeconfig = await cli('kubeconfig', 'onboarding', '--user', 'zoe');
    const { users } = parse(kubeconfig) as { users: [{ user: { token: string } }] };
    const { token } = users[0].user;
    const project = {
      apiVersion: 'core.openmcp.cloud/v1alpha1',
      kind: 'Project',
      metadata: { name: 'zoes' },
    };
    const made = await landscape.request('/clusters/onboarding/apis/core.openmcp.cloud/v1alpha1/projects', {
      token,
      body: project,
    });
    assert.equal(made.status, 201, made.text);
    await buyer.run('wait', '--for=condition=Ready', 'project/zoes', '--timeout=60s');
    await using theirs = await browser.open();
    const { page } = theirs;
    await theirs.goto('onboarding/instances?ns=acme');
    await theirs.signIn(token);
    await page.getByText(/Cannot list service instances/).waitFor();
    await theirs.screenshot('tenant-forbidden');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('shop');
    await page.getByText('Nothing found').waitFor();
    await page.keyboard.press('Escape');
    await page.getByPlaceholder('Search in onboarding').waitFor({ state: 'hidden' });
    await choose(page.getByLabel('Cluster'), 'zoes');
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await theirs.screenshot('tenant-home');
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await activate(page.getByRole('link', { name: 'Namespace', exact: true }));
    await page.getByRole('link', { name: 'project-zoes' }).waitFor();
    const rows = await page.locator('tbody tr').allInnerTexts();
    assert.ok(
      rows.every(row => row.includes('project-zoes')),
      rows.join('\n'),
    );
    await theirs.screenshot('tenant-namespaces');
    await activate(page.getByRole('link', { name: 'project-zoes' }).first());
    const remove = page.getByRole('button', { name: 'Delete…' });
    await eventually(async () => (await reasonAt(remove)).includes('roles do not include'), {
      what: 'the reason why it cannot be deleted',
    });
  });
});
