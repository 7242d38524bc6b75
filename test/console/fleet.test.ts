import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually, findChromium, whySkipped } from '@chandlery/testing';
import { brokenVersion } from '../scenarios/fleet/support/fossils.ts';
import { type PlannedInstance, StoryFleet } from '../scenarios/fleet/support/story-fleet.ts';
import { activate, choose, reach, reasonAt, type } from './support/by-keyboard.ts';
import { type ConsoleBrowser, type ConsoleTab, startConsoleBrowser } from './support/console-browser.ts';
import { personToken, readerToken, readVerbs, signInAt } from './support/sign-in.ts';

const chromium = await findChromium();
const timeoutMs = 120_000;
const tenant = 'acme';
const markup = '<img src=x onerror="document.title=\'broken\'">';

const clusters = [
  { clusterId: 'eu-objects', product: 'fossils', region: 'eu', type: 'objects' },
  { clusterId: 'us-objects', product: 'fossils', region: 'us', type: 'objects' },
] as const;
const planned = (name: string, organisation: string, region: string): PlannedInstance => ({
  product: 'fossils',
  name,
  organisation,
  region,
});
/** Room for four instances in one region and for one in the other; the console orders one of the four. */
const [second, third, , far] = [
  planned('iggy', tenant, 'eu'),
  planned('stego', tenant, 'eu'),
  planned('spare', tenant, 'eu'),
  planned('bronto', 'globex', 'us'),
] as const;
const plan = [second, third, planned('rex', tenant, 'eu'), planned('spare', tenant, 'eu'), far];

describe('The fleet in the console', { skip: whySkipped(chromium) }, () => {
  let fleet: StoryFleet;
  let browser: ConsoleBrowser;
  let tab: ConsoleTab;

  before(async () => {
    fleet = await StoryFleet.start({ plan, clusters });
    const { landscape } = fleet;
    const made = await landscape.request('/clusters/onboarding/api/v1/namespaces', {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: tenant } },
    });
    assert.equal(made.status, 201, made.text);
    browser = await startConsoleBrowser(landscape, chromium);
    tab = await browser.open();
    await signInAt(tab, 'onboarding/home', landscape.token);
  });
  after(async () => {
    await tab?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await fleet?.[Symbol.asyncDispose]();
  });

  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await tab.page.keyboard.press(key);
  };
  const mark = (text: string) => tab.page.locator('.page-head .state', { hasText: text });
  const region = (name: string) => tab.page.getByRole('region', { name: `Region ${name}`, exact: true });
  const meter = (name: string) => tab.page.getByRole('meter', { name });
  const untilUsed = (name: string, text: string): Promise<boolean> =>
    eventually(async () => (await meter(name).first().getAttribute('aria-valuetext')) === text, {
      timeoutMs,
      what: `${name}: ${text}`,
    });

  it('shows regions with their clusters and how full they are, without reading instances', async () => {
    const { page } = tab;
    const asked: string[] = [];
    page.on('request', request => asked.push(new URL(request.url()).pathname));
    await press('g', 'f');
    await page.getByRole('heading', { name: 'Fleet' }).waitFor();
    await choose(page.getByLabel('Product'), 'fossils');
    await region('eu').waitFor();
    await untilUsed('Units on eu-objects', '0 of 4');
    await untilUsed('Units on us-objects', '0 of 1');
    assert.match(await region('eu').innerText(), /✓ Ready[\s\S]*✓ Has room/);
    assert.deepEqual(
      asked.filter(path => /fleetinstances|\/admin\/|fossils$/.test(path)),
      [],
      'the report of capacity is enough',
    );
    await tab.screenshot('fleet-regions');
  });

  it('orders an instance, and finds it on its cluster, which is fuller now', async () => {
    const { page } = tab;
    await type(page.getByLabel('Namespace'), tenant);
    await eventually(() => page.url().includes(`ns=${tenant}`), { what: 'the namespace in the address' });
    await reach(page.getByRole('link', { name: 'Home' }));
    await press('g', 'c');
    await activate(page.getByRole('link', { name: 'Fossil' }));
    await type(page.getByLabel('Name', { exact: true }), 'rex');
    await activate(page.getByRole('button', { name: 'Order', exact: true }));
    await page.getByRole('heading', { name: 'rex' }).waitFor();
    const listed: URL[] = [];
    page.on('request', request => {
      const url = new URL(request.url());
      if (url.pathname.endsWith('/admin/fossils')) listed.push(url);
    });
    await tab.visit('onboarding/fleet?product=fossils');
    await untilUsed('Units on eu-objects', '1 of 4');
    await reach(page.getByRole('link', { name: 'Home' }));
    await press('j', 'Enter');
    await page.getByRole('heading', { name: 'eu-objects' }).waitFor();
    await untilUsed('Units on eu-objects', '1 of 4');
    const sizes = listed.map(({ searchParams }) => searchParams.get('size'));
    assert.ok(sizes.length > 0 && sizes.every(size => size === '50'), `a page at a time: ${sizes.join()}`);
    await page.getByRole('region', { name: 'Agent' }).getByText('Reports').waitFor({ timeout: timeoutMs });
    await page.getByRole('link', { name: 'rex' }).waitFor();
    await page.locator('tbody .state-ready').waitFor({ timeout: timeoutMs });
    await tab.screenshot('fleet-cluster');
  });

  it('shows an instance with its cluster, its owner, its versions and where it is reached', async () => {
    const { page } = tab;
    await reach(page.getByRole('link', { name: 'Home' }));
    await press('j', 'Enter');
    await page.getByRole('heading', { name: 'rex' }).waitFor();
    await page.locator('.page-head .state-ready').waitFor({ timeout: timeoutMs });
    const place = page.getByRole('region', { name: 'Place', exact: true });
    await place.getByText('1.0.2').waitFor();
    assert.match(await page.getByRole('region', { name: 'Order' }).innerText(), /Organisation\s+acme/);
    assert.match(await page.getByRole('region', { name: 'Endpoints' }).innerText(), /fossils\.fleet\.internal/);
    assert.match(await page.getByRole('list', { name: 'Steps until it is ready' }).innerText(), /done:\s*Ready/);
    await page.getByText('✓ It is here').waitFor();
    await page.getByText(/it is in region us/).waitFor();
    await tab.screenshot('fleet-instance');
    await reach(page.getByRole('link', { name: 'Relations' }));
    await press('Enter');
    await page.getByRole('tab', { name: 'Relations', selected: true }).waitFor();
    await page.goBack();
    await activate(place.getByRole('link', { name: 'eu-objects' }));
    await page.getByRole('heading', { name: 'eu-objects' }).waitFor();
  });

  it('drains a cluster after that was confirmed, and lets new instances in again', async () => {
    const { page } = tab;
    await reach(page.getByRole('button', { name: 'Drain…' }));
    await press('Enter');
    await page.getByRole('heading', { name: 'Drain eu-objects?' }).waitFor();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('chandlery fleet cluster drain eu-objects --product fossils').waitFor();
    await tab.screenshot('fleet-drain');
    await reach(page.getByRole('button', { name: 'Drain', exact: true }));
    await press('Enter');
    await page.getByText('◌ Draining').waitFor();
    await tab.visit('onboarding/fleet?product=fossils');
    await region('eu').getByText('◌ Draining').waitFor();
    await page.goBack();
    await reach(page.getByRole('button', { name: 'Take new instances again' }));
    await press('Enter');
    await page.getByRole('button', { name: 'Drain…' }).waitFor();
    await tab.visit('onboarding/fleet?product=fossils');
    await region('eu').getByText('✓ Accepted').waitFor();
  });

  it('says when a cluster is full, and who has used which quota', async () => {
    const { page } = tab;
    await fleet.order(far);
    await untilUsed('Units on us-objects', '1 of 1');
    await region('us').getByText('✗ Full').first().waitFor();
    await reach(page.getByRole('tab', { name: 'Regions' }));
    await press('ArrowLeft');
    await page.getByRole('tab', { name: 'Quota', selected: true }).waitFor();
    await untilUsed('Quota of acme', '1 of 4');
    await untilUsed('Quota of globex', '1 of 1');
    await tab.screenshot('fleet-quota');
    await press('/');
    await page.keyboard.type('globex');
    await meter('Quota of acme').waitFor({ state: 'detached' });
    await meter('Quota of globex').waitFor();
  });

  it('starts a rollout, sees it stop at a failure, and takes it back', async () => {
    const { page } = tab;
    await fleet.order(second);
    await fleet.order(third);
    await fleet.untilState([second, third], 'ready');
    await tab.visit('onboarding/fleet?product=fossils&tab=rollouts');
    await page.getByText('No fleet rollouts').waitFor();
    await tab.screenshot('fleet-rollouts-none');
    await reach(page.getByRole('button', { name: 'Start a rollout…' }));
    await press('Enter');
    await page.keyboard.type('broken');
    await type(page.getByLabel('Version'), brokenVersion);
    await page.getByText(/chandlery fleet rollout start broken/).waitFor();
    await tab.screenshot('fleet-rollout-start');
    await press('Enter');
    await page.getByRole('heading', { name: 'broken', exact: true }).waitFor();
    await mark('Paused').waitFor({ timeout: timeoutMs });
    await page
      .getByText(/was rejected/)
      .first()
      .waitFor();
    const failed = page.getByRole('region', { name: 'Progress' }).locator('.state-failed');
    assert.match(await failed.innerText(), /1/);
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await tab.screenshot('fleet-rollout-paused');
    await reach(page.getByRole('button', { name: 'Abort…' }));
    await press('Enter');
    await reach(page.getByRole('button', { name: 'Abort it' }));
    await press('Enter');
    await mark('Aborted').waitFor({ timeout: timeoutMs });
    assert.match(
      await reasonAt(page.getByRole('button', { name: 'Pause' }).or(page.getByRole('button', { name: 'Resume' }))),
      /has ended/,
    );
    await tab.visit('onboarding/fleet?product=fossils&tab=rollouts');
    await page.getByRole('link', { name: 'broken' }).waitFor();
    await page.locator('tbody .state-exists').waitFor();
    await tab.screenshot('fleet-rollouts');
  });

  it('pauses and resumes a rollout', async () => {
    const { page } = tab;
    const { landscape } = fleet;
    const body = {
      apiVersion: 'fleet.chandlery.io/v1alpha1',
      kind: 'FleetRollout',
      metadata: { name: 'later' },
      spec: { product: 'fossils', productVersion: '1.0.0', paused: true },
    };
    const made = await landscape.request('/clusters/onboarding/apis/fleet.chandlery.io/v1alpha1/fleetrollouts', {
      body,
    });
    assert.equal(made.status, 201, made.text);
    await tab.visit('onboarding/fleet/rollout/later');
    await reach(page.getByRole('button', { name: 'Resume' }));
    await press('Enter');
    await page.getByText('✓ The rollout was resumed').waitFor();
    await mark('Succeeded').waitFor({ timeout: timeoutMs });
    await page.getByText(/^(\d+) of \1 instances run 1\.0\.0$/).waitFor();
    await tab.screenshot('fleet-rollout-succeeded');
  });

  it('lists all instances for operators, filtered by the server', async () => {
    const { page } = tab;
    await tab.visit('onboarding/fleet?product=fossils&tab=instances');
    await page.getByRole('link', { name: 'bronto' }).waitFor();
    await tab.screenshot('fleet-instances');
    await activate(page.getByRole('link', { name: 'bronto' }));
    await page.getByRole('heading', { name: 'bronto' }).waitFor();
    await page.getByRole('region', { name: 'Place', exact: true }).getByRole('link', { name: 'us-objects' }).waitFor();
  });

  it('tells readers what they may not do, and why', async () => {
    const rules = [{ apiGroups: ['fleet.chandlery.io'], resources: ['*'], verbs: readVerbs }];
    const token = await readerToken(fleet.landscape, 'fleet-reader', rules);
    await using theirs = await browser.open();
    const { page } = theirs;
    await signInAt(theirs, 'onboarding/fleet?product=fossils', token);
    await page.getByText('Regions and clusters are shown to operators').waitFor();
    await theirs.screenshot('fleet-reader');
    await activate(page.getByRole('tab', { name: 'Quota' }));
    await page.getByText('The quota of all organisations is shown to operators').waitFor();
    await activate(page.getByRole('tab', { name: 'Instances' }));
    await page.getByRole('link', { name: 'bronto' }).waitFor();
    await activate(page.getByRole('tab', { name: 'Rollouts' }));
    const start = page.getByRole('button', { name: 'Start a rollout…' });
    await eventually(async () => (await reasonAt(start)).includes('roles do not include'), {
      what: 'the reason why no rollout can be started',
    });
    await theirs.visit('onboarding/fleet/cluster/fossils.eu-objects');
    const drain = page.getByRole('button', { name: 'Drain…' });
    await eventually(async () => (await reasonAt(drain)).includes('Only operators'), {
      what: 'the reason why the cluster cannot be drained',
    });
    await activate(drain);
    assert.equal(await page.getByRole('dialog').count(), 0);
    await theirs.visit('onboarding/fleet/rollout/later');
    const abort = page.getByRole('button', { name: 'Abort…' });
    await eventually(async () => (await abort.getAttribute('aria-disabled')) === 'true', { what: 'no abort' });
    await theirs.assertAccessible('rollout of a reader');
  });

  it('shows a tenant the instances of their own organisation alone', async () => {
    const { landscape } = fleet;
    const token = await personToken(landscape, 'zoe');
    const projects = '/clusters/onboarding/apis/core.openmcp.cloud/v1alpha1';
    const create = async (path: string, kind: string, name: string): Promise<void> => {
      const body = { apiVersion: 'core.openmcp.cloud/v1alpha1', kind, metadata: { name } };
      await eventually(
        async () => [201, 409].includes((await landscape.request(`${projects}/${path}`, { token, body })).status),
        { timeoutMs, what: `${kind} ${name}` },
      );
    };
    await create('projects', 'Project', 'zoes');
    await create('namespaces/project-zoes/workspaces', 'Workspace', 'dev');
    await using theirs = await browser.open();
    const { page } = theirs;
    await signInAt(theirs, 'onboarding/fleet?product=fossils&tab=instances', token);
    await eventually(
      async () => {
        await theirs.visit('onboarding/home');
        await theirs.visit('onboarding/fleet?product=fossils&tab=instances');
        await page.getByText('You have no instance of fossils').waitFor({ timeout: 3000 });
        return true;
      },
      { timeoutMs, what: 'the workspace of the tenant' },
    );
    await theirs.screenshot('fleet-tenant-none');
    for (const path of [
      'fleet?product=fossils',
      'fleet/cluster/fossils.eu-objects',
      'fleet/instance/acme/rex',
      'fleet/rollout/later',
    ]) {
      await theirs.visit(`onboarding/${path}`);
      await page
        .getByText(/Cannot read|shown to operators/)
        .first()
        .waitFor();
      const text = await page.locator('main').innerText();
      assert.doesNotMatch(text, /globex|bronto|127\.0\.0\.1|eu of local/, path);
    }
    const trial = await landscape.request('/api/dinosaurs_mgmt/v1/dinosaurs?async=true', {
      token,
      body: { name: 'mine' },
    });
    assert.equal(trial.status, 202, trial.text);
    await theirs.visit('onboarding/fleet?product=dinosaurs&tab=instances');
    await page.getByRole('link', { name: 'mine' }).waitFor();
    assert.equal(await page.locator('tbody tr').count(), 1);
    await theirs.screenshot('fleet-tenant-instances');
    await activate(page.getByRole('link', { name: 'mine' }));
    await page.getByRole('heading', { name: 'mine' }).waitFor();
    await theirs.screenshot('fleet-tenant-instance');
  });

  it('shows text of configurations as text', async () => {
    const { landscape } = fleet;
    const { page } = tab;
    const path = '/api/fleet_mgmt/v1/configuration';
    const document = (await landscape.request(`${path}?product=fossils`)).json<{
      supported_providers: { regions: { name: string; display_name?: string }[] }[];
    }>();
    const [provider] = document.supported_providers;
    const [first] = provider?.regions ?? [];
    assert.ok(first !== undefined);
    first.display_name = `${markup}\u202etxt.exe`;
    const put = await landscape.request(path, { method: 'PUT', body: document });
    assert.equal(put.status, 200, put.text);
    await tab.visit('onboarding/fleet?product=fossils');
    await page.getByText(markup).first().waitFor();
    assert.ok(!(await page.locator('main').innerText()).includes('\u202e'));
    assert.equal(await page.locator('main img').count(), 0);
    assert.notEqual(await page.title(), 'broken');
  });
});
