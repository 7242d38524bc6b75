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
import { parse, stringify } from 'yaml';
import { type Person, peopleOf, personWith } from '../scenarios/provider-validation/support/people.ts';
import { installDatabases } from '../scenarios/support/install-databases.ts';
import { OidcIssuer } from '../security/support/oidc-issuer.ts';
import { activate, choose, reach, type } from './support/by-keyboard.ts';
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
    await tab.assertAccessible('sign-in');
    await tab.screenshot('sign-in');
    await tab.signIn('wrong');
    await page.getByText('Cannot sign in').waitFor();
    await tab.signIn(landscape.token);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])',
    );
    assert.ok(!kept.includes(landscape.token));
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
    await tab.visit('onboarding/catalogue?ns=acme');
    await eventually(
      async () => {
        await tab.visit('onboarding/home?ns=acme');
        await tab.visit('onboarding/catalogue?ns=acme');
        await page.getByRole('link', { name: 'postgresdatabase' }).waitFor({ timeout: 3000 });
        return true;
      },
      { timeoutMs, what: 'the offering' },
    );
    await tab.assertAccessible('catalogue');
    await tab.screenshot('catalogue');
    await activate(page.getByRole('link', { name: 'postgresdatabase' }));
    await type(page.getByLabel('Name', { exact: true }), 'shop');
    await type(page.getByLabel('version (required)'), '17');
    await activate(page.getByRole('button', { name: 'Check' }));
    await page.getByText('The server would accept this order').waitFor();
    await tab.assertAccessible('order');
    await tab.screenshot('order');
    await activate(page.getByRole('button', { name: 'Order', exact: true }));
    await page.getByRole('heading', { name: 'shop' }).waitFor();
    await page.locator('.page-head .state-ready').waitFor({ timeout: timeoutMs });
    await tab.screenshot('instance-ready');
    await activate(page.getByRole('tab', { name: 'Relations' }));
    await page.getByRole('link', { name: /^PostgresDatabase\// }).waitFor();
    await tab.assertAccessible('relations');
    await tab.screenshot('relations');
  });

  it('follows the log of a pod', async () => {
    const { page } = tab;
    await tab.visit('workload/list/core/pods?sort=Name');
    await activate(page.locator('a.row-link').first());
    await activate(page.getByRole('tab', { name: 'Logs' }));
    await page.getByText('database system is ready to accept connections').first().waitFor();
    await tab.assertAccessible('logs');
    await tab.screenshot('logs');
  });

  it('shows what is wrong, and why', async () => {
    const { page } = tab;
    await buyer.apply({
      apiVersion: 'brokers.chandlery.io/v1alpha1',
      kind: 'ServiceInstance',
      metadata: { name: 'broken', namespace: 'acme' },
      spec: { offeringName: 'postgresdatabase', planName: 'default', parameters: { version: '99' } },
    });
    await tab.visit('onboarding/home?ns=acme');
    const wrong = page.locator('section.card', { has: page.getByRole('heading', { name: /Wrong now/ }) });
    await wrong.getByText('"99" is not offered').waitFor();
    await tab.assertAccessible('home');
    await tab.screenshot('home-wrong');
    await activate(wrong.getByRole('link', { name: 'broken' }));
    await activate(page.getByRole('tab', { name: 'Conditions' }));
    await page
      .getByText(/"99" is not offered/)
      .first()
      .waitFor();
    await tab.assertAccessible('conditions');
    await tab.screenshot('conditions');
  });

  it('lists any kind: filtered, sorted, by state, followed; the address is the state', async () => {
    const { page } = tab;
    await tab.visit('onboarding/instances?ns=acme');
    await activate(page.getByRole('button', { name: /Failed 1/ }));
    await page.getByRole('link', { name: 'broken' }).waitFor();
    await untilRows(page, 1);
    assert.match(page.url(), /state=failed/);
    await activate(page.getByRole('button', { name: /Failed 1/ }));
    await activate(page.getByRole('button', { name: 'Name' }));
    await untilRows(page, 2);
    await tab.assertAccessible('list');
    await tab.screenshot('instances');
    await tab.visit('onboarding/list/core/configmaps?ns=acme');
    await page.getByText('No configmaps in namespace "acme"').waitFor();
    await buyer.run('create', 'configmap', 'lighthouse', '-n', 'acme');
    await page.getByRole('link', { name: 'lighthouse' }).waitFor();
    await reach(page.getByRole('link', { name: 'Home' }));
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'lighthouse' }).waitFor();
  });

  it('finds objects by a few letters, with the keyboard alone', async () => {
    const { page } = tab;
    await page.keyboard.press('Control+k');
    await page.keyboard.type('lighth');
    await page.getByRole('option', { name: /lighthouse/ }).waitFor();
    await tab.assertAccessible('palette');
    await tab.screenshot('palette');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'lighthouse' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard' }).waitFor();
    await tab.assertAccessible('shortcuts');
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.getByRole('heading', { name: 'All kinds' }).waitFor();
    await tab.assertAccessible('all kinds');
    await tab.screenshot('all-kinds');
    await tab.visit('onboarding/settings');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await tab.assertAccessible('settings');
  });

  it('edits YAML, notices a conflict, and keeps both changes', async () => {
    const { page } = tab;
    await buyer.run('create', 'configmap', 'rota', '-n', 'acme', '--from-literal=watch=first');
    await tab.visit('onboarding/object/core/configmaps/acme/rota?tab=yaml');
    await activate(page.getByRole('button', { name: 'Edit' }));
    const editor = page.getByRole('textbox', { name: 'Edit ConfigMap rota' });
    await activate(editor);
    await page.keyboard.press('Control+End');
    await page.keyboard.type('immutable: false');
    await buyer.run('annotate', 'configmap', 'rota', '-n', 'acme', 'by=another');
    await page.getByText('This object was changed while you edited it').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled'), 'true');
    await activate(page.getByRole('button', { name: 'Compare and continue' }));
    await tab.assertAccessible('conflict');
    await tab.screenshot('conflict');
    await activate(page.getByRole('button', { name: 'Check' }));
    await page.getByText('The server would accept this').waitFor();
    await activate(page.getByRole('button', { name: 'Save' }));
    await page.getByText('✓ Saved').waitFor();
    const saved = JSON.parse(await buyer.run('get', 'configmap', 'rota', '-n', 'acme', '-o', 'json')) as {
      immutable?: boolean;
    };
    assert.equal(saved.immutable, false);
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
    await tab.assertAccessible('yaml');
    await tab.screenshot('hostile');
  });

  it('deletes an object after its name was typed', async () => {
    const { page } = tab;
    await activate(page.getByRole('button', { name: 'Delete…' }));
    await type(page.getByLabel('Type the name to confirm'), 'hostile');
    await tab.assertAccessible('delete');
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
    await page.getByText(/Cannot list serviceinstances/).waitFor();
    await theirs.screenshot('tenant-forbidden');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('shop');
    await page.getByText('Nothing found').waitFor();
    await page.keyboard.press('Escape');
    await choose(page.getByLabel('Cluster'), 'zoes');
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await theirs.visit('zoes/list/core/namespaces');
    await page.getByRole('link', { name: 'project-zoes' }).waitFor();
    const rows = await page.locator('tbody tr').allInnerTexts();
    assert.ok(
      rows.every(row => row.includes('project-zoes')),
      rows.join('\n'),
    );
    await theirs.screenshot('tenant-namespaces');
    await activate(page.getByRole('link', { name: 'project-zoes' }).first());
    const remove = page.getByRole('button', { name: 'Delete…' });
    await eventually(async () => (await remove.getAttribute('title'))?.includes('roles do not include'), {
      what: 'the reason why it cannot be deleted',
    });
  });
});
