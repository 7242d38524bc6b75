import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  eventually,
  findChromium,
  freePort,
  type RunningProcess,
  startProcess,
  startTestLandscape,
  type TestLandscape,
  whySkipped,
} from '@chandlery/testing';
import { peopleOf } from '../scenarios/provider-validation/support/people.ts';
import { installDatabases } from '../scenarios/support/install-databases.ts';
import { activate, choose, reach, reasonAt, type } from './support/by-keyboard.ts';
import { type ConsoleBrowser, type ConsoleTab, startConsoleBrowser } from './support/console-browser.ts';
import { personToken, readerToken, readVerbs, signInAt } from './support/sign-in.ts';

const root = join(import.meta.dirname, '../..');
const chromium = await findChromium();
const timeoutMs = 120_000;
const password = 'correct-horse-battery';
const markup = '<img src=x onerror="document.title=\'broken\'">';

/** The example broker with credentials of the test, in a process of its own. */
const brokerProgram = `
  import { createRoomsBroker } from ${JSON.stringify(join(root, 'examples/brokers/rooms-broker.ts'))};
  createRoomsBroker({ username: 'admin', password: ${JSON.stringify(password)} })
    .listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listens'));
`;

interface Platform {
  readonly id: string;
  readonly credentials: { readonly basic: { readonly username: string; readonly password: string } };
}

describe('Providers, brokers and tenants in the console', { skip: whySkipped(chromium) }, () => {
  let landscape: TestLandscape;
  let broker: RunningProcess;
  let brokerUrl: string;
  let brokerId: string;
  let browser: ConsoleBrowser;
  let tab: ConsoleTab;
  const platforms: Platform[] = [];

  const startBroker = async (port: number): Promise<RunningProcess> =>
    startProcess(process.execPath, ['--input-type=module', '-e', brokerProgram], {
      env: { PORT: String(port) },
      ready: /listens/,
    });

  before(async () => {
    landscape = await startTestLandscape();
    const port = await freePort();
    brokerUrl = `http://127.0.0.1:${port}`;
    broker = await startBroker(port);
    for (const name of ['eu-1', 'us-1']) {
      const made = await landscape.request('/v1/platforms', { body: { name, type: 'kubernetes' } });
      assert.equal(made.status, 201, made.text);
      platforms.push(made.json<Platform>());
    }
    browser = await startConsoleBrowser(landscape, chromium);
    tab = await browser.open();
    await signInAt(tab, 'onboarding/home', landscape.token);
  });
  after(async () => {
    await tab?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await broker?.[Symbol.asyncDispose]();
    await landscape?.[Symbol.asyncDispose]();
  });

  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await tab.page.keyboard.press(key);
  };
  const dialog = () => tab.page.getByRole('dialog');

  /** The names of services in the catalogue that a platform gets over OSB. */
  const servicesFor = async ({ credentials: { basic } }: Platform): Promise<readonly string[]> => {
    const login = Buffer.from(`${basic.username}:${basic.password}`).toString('base64');
    const answer = await landscape.request(`/v1/osb/${brokerId}/v2/catalog`, {
      token: null,
      headers: { authorization: `Basic ${login}`, 'x-broker-api-version': '2.17' },
    });
    if (answer.status !== 200) return [];
    return answer.json<{ services: readonly { name: string }[] }>().services.map(({ name }) => name);
  };

  describe('brokers', () => {
    it('registers a broker, and shows nobody its credentials', async () => {
      const { page } = tab;
      await press('g', 'p');
      await page.getByRole('heading', { name: 'Providers & brokers' }).waitFor();
      await page.getByText('No service providers').waitFor();
      await tab.screenshot('providers-none');
      await reach(page.getByRole('tab', { name: 'Providers' }));
      await press('ArrowRight');
      await page.getByRole('link', { name: 'landscape-fleet' }).waitFor();
      await tab.screenshot('brokers');
      await reach(page.getByRole('button', { name: 'Register a broker…' }));
      await press('Enter');
      await page.keyboard.type('rooms');
      await press('Tab');
      await page.keyboard.type(brokerUrl);
      await type(page.getByLabel('User name'), 'admin');
      await type(page.getByLabel('Password'), 'wrong');
      await dialog().getByText(`chandlery broker register rooms ${brokerUrl} -b -`).waitFor();
      await tab.screenshot('broker-register');
      await press('Enter');
      await dialog().getByText('Cannot register the broker').waitFor();
      await tab.screenshot('broker-register-failed');
      await type(page.getByLabel('Password'), password);
      assert.ok(!(await dialog().innerText()).includes(password));
      await press('Enter');
      await page.getByRole('heading', { name: 'rooms', exact: true }).first().waitFor();
      brokerId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
      assert.ok(!page.url().includes(password) && !(await page.content()).includes(password));
      const log = await readFile(join(landscape.dataDir, 'audit.log'), 'utf8');
      assert.ok(!`${log}${landscape.process.output()}`.includes(password));
      await page.getByText('Stored encrypted, not shown').waitFor();
      await page.getByRole('region', { name: 'Offering rooms' }).getByText('A room for four').waitFor();
      await tab.screenshot('broker');
    });

    it('opens a plan to one platform: that one sees it, and the other does not', async () => {
      const { page } = tab;
      const [eu, us] = platforms;
      assert.ok(eu !== undefined && us !== undefined);
      assert.deepEqual([await servicesFor(eu), await servicesFor(us)], [[], []]);
      await reach(page.getByRole('button', { name: /Who may order it.*small/ }));
      await press('Enter');
      await page.getByText('No platform may order it yet').waitFor();
      assert.match(page.url(), /plan=/);
      await reach(page.getByRole('button', { name: 'Open to a platform…' }));
      await press('Enter');
      await page.keyboard.type('nowhere');
      await press('Enter');
      await dialog().getByText('There is no platform "nowhere"').waitFor();
      await type(dialog().getByRole('combobox'), 'eu-1');
      await dialog().getByText('chandlery visibility create eu-1 rooms/small').waitFor();
      await tab.screenshot('plan-open');
      await press('Enter');
      await page.getByText('✓ eu-1').waitFor();
      await eventually(async () => (await servicesFor(eu)).includes('rooms'), { timeoutMs, what: 'the plan on eu-1' });
      assert.deepEqual(await servicesFor(us), []);
      await tab.screenshot('plan-opened');
    });

    it('lists visibilities with names, and withdraws one', async () => {
      const { page } = tab;
      const [eu] = platforms;
      assert.ok(eu !== undefined);
      await tab.visit('onboarding/providers?tab=visibilities&sort=-Age');
      const row = page.locator('tbody tr', { hasText: 'rooms/small' });
      await row.getByText('eu-1', { exact: true }).waitFor();
      assert.doesNotMatch(await page.locator('tbody').innerText(), /[0-9a-f]{8}-[0-9a-f]{4}-/, 'no ids');
      await tab.screenshot('visibilities');
      await reach(row.getByRole('button', { name: /Withdraw/ }));
      await press('Enter');
      await dialog().getByText('chandlery visibility delete eu-1 rooms/small --yes').waitFor();
      await reach(page.getByRole('button', { name: 'Withdraw it' }));
      await press('Enter');
      await row.waitFor({ state: 'detached' });
      await eventually(async () => (await servicesFor(eu)).length === 0, {
        timeoutMs,
        what: 'the plan to be withdrawn',
      });
    });

    it('refreshes a catalogue, and says why that fails when the broker is gone', async () => {
      const { page } = tab;
      await tab.visit(`onboarding/providers/broker/service-manager/${brokerId}`);
      const refresh = page.getByRole('button', { name: 'Refresh the catalogue', exact: true });
      await reach(refresh);
      await press('Enter');
      await page.getByText('✓ The catalogue was read again').waitFor();
      await broker.kill9();
      await reach(refresh);
      await press('Enter');
      await page.getByText('Cannot refresh the catalogue').waitFor();
      await page.getByRole('region', { name: 'Offering rooms' }).waitFor();
      await tab.screenshot('broker-gone');
      broker = await startBroker(Number(new URL(brokerUrl).port));
      await reach(refresh);
      await press('Enter');
      await page.getByText('✓ The catalogue was read again').waitFor();
    });

    it('lists platforms', async () => {
      const { page } = tab;
      await tab.visit('onboarding/providers?tab=platforms');
      await page.getByText('eu-1').first().waitFor();
      await tab.screenshot('platforms');
    });

    it('tells readers and strangers what they may not do, and why', async () => {
      const rules = [{ apiGroups: ['brokers.chandlery.io'], resources: ['*'], verbs: readVerbs }];
      const token = await readerToken(landscape, 'brokers-reader', rules);
      await using theirs = await browser.open();
      const { page } = theirs;
      await signInAt(theirs, 'onboarding/providers?tab=brokers', token);
      await page.getByRole('link', { name: 'rooms', exact: true }).waitFor();
      const isDenied = (name: string): Promise<boolean> =>
        eventually(
          async () => (await reasonAt(page.getByRole('button', { name }).first())).includes('roles do not include'),
          { what: `why not ${name}` },
        );
      await isDenied('Register a broker…');
      await theirs.visit(`onboarding/providers/broker/service-manager/${brokerId}`);
      await isDenied('Refresh the catalogue');
      await activate(page.getByRole('button', { name: /Who may order it.*small/ }));
      await isDenied('Open to a platform…');
      await activate(page.getByRole('button', { name: 'Open to a platform…' }));
      assert.equal(await page.getByRole('dialog').count(), 0);
      await theirs.screenshot('broker-reader');
      await theirs.visit('onboarding/providers');
      await page.getByText('Cannot list service providers').waitFor();
      assert.equal(await page.getByRole('heading', { name: 'Sign in to Chandlery' }).count(), 0);
      await using stranger = await browser.open();
      await signInAt(stranger, 'onboarding/providers?tab=brokers', await personToken(landscape, 'eve'));
      await stranger.page.getByText('Cannot list service brokers').waitFor();
      await stranger.visit(`onboarding/providers/broker/service-manager/${brokerId}`);
      await stranger.page.getByText(/Cannot read the broker/).waitFor();
      await stranger.visit('onboarding/providers?tab=visibilities');
      await stranger.page.getByText('Cannot list the visibilities').waitFor();
      await stranger.screenshot('brokers-stranger');
    });
  });

  describe('tenants', () => {
    let zoe: ConsoleTab;

    after(() => zoe?.[Symbol.asyncDispose]());

    const inZoes = async (...keys: readonly string[]): Promise<void> => {
      for (const key of keys) await zoe.page.keyboard.press(key);
    };

    it('makes a project, a workspace and a control plane, by keyboard alone', async () => {
      zoe = await browser.open();
      const { page } = zoe;
      await signInAt(zoe, 'onboarding/home', await personToken(landscape, 'zoe'));
      await page.getByRole('heading', { name: 'Home' }).waitFor();
      await inZoes('g', 't');
      await page.getByText('No projects').waitFor();
      await zoe.screenshot('tenants-none');
      await reach(page.getByRole('button', { name: 'Create a project…' }));
      await inZoes('Enter');
      await page.keyboard.type('Zoes');
      await page.getByText('The name may have lower-case letters, digits and "-"').last().waitFor();
      await type(page.getByRole('dialog').getByRole('textbox').first(), 'zoes');
      await page.getByText('chandlery project create zoes', { exact: true }).waitFor();
      await zoe.screenshot('project-create');
      await inZoes('Enter');
      await page.getByRole('heading', { name: 'zoes' }).waitFor();
      await page.locator('.page-head .state-ready').waitFor({ timeout: timeoutMs });
      const create = page.getByRole('button', { name: 'Create a workspace…' });
      await eventually(async () => (await create.getAttribute('aria-disabled')) === null, { what: 'the right' });
      await zoe.screenshot('project-new');
      await reach(create);
      await inZoes('Enter');
      await page.keyboard.type('dev');
      await page.getByText('chandlery workspace create dev --project zoes', { exact: true }).waitFor();
      await inZoes('Enter');
      await page.getByRole('heading', { name: 'dev' }).waitFor();
      await page.getByText('No control planes yet').waitFor({ timeout: timeoutMs });
      await reach(page.getByRole('button', { name: 'Create a control plane…' }));
      await inZoes('Enter');
      await page.keyboard.type('web');
      await zoe.screenshot('control-plane-create');
      await inZoes('Enter');
      await page.getByRole('link', { name: 'web' }).waitFor();
      await page.locator('tbody .state-ready').last().waitFor({ timeout: timeoutMs });
      await page
        .getByRole('region', { name: 'Quota' })
        .getByText(/no quota of its own|dinosaurs/)
        .first()
        .waitFor();
      await zoe.screenshot('workspace');
    });

    it('adds a member, who sees the project, and removes them', async () => {
      const { page } = zoe;
      const ben = await personToken(landscape, 'ben');
      await using his = await browser.open();
      await signInAt(his, 'onboarding/tenants/zoes', ben);
      await his.page.getByText('Cannot read the project "zoes"').waitFor();
      await zoe.visit('onboarding/tenants/zoes');
      await reach(page.getByRole('button', { name: 'Add a member…' }));
      await inZoes('Enter');
      await page.keyboard.type('system:serviceaccount:chandlery-users:ben');
      await reach(page.getByLabel('Role'));
      await inZoes('ArrowDown', 'ArrowUp');
      await choose(page.getByLabel('Role'), 'view');
      await page.getByText(/kubectl --context onboarding patch projects/).waitFor();
      await zoe.screenshot('member-add');
      await reach(page.getByRole('dialog').getByRole('textbox').first());
      await inZoes('Enter');
      const row = page.locator('tbody tr', { hasText: 'chandlery-users/ben' });
      await row.getByText('Viewer').waitFor();
      await zoe.screenshot('project-members');
      await eventually(
        async () => {
          await his.visit('onboarding/home');
          await his.visit('onboarding/tenants/zoes');
          await his.page.getByRole('heading', { name: 'zoes' }).waitFor({ timeout: 2000 });
          return true;
        },
        { timeoutMs, what: 'the rights of the member' },
      );
      const add = his.page.getByRole('button', { name: 'Add a member…' });
      await eventually(async () => (await reasonAt(add)).includes('roles do not include'), {
        what: 'why a viewer adds no member',
      });
      await his.screenshot('project-viewer');
      await reach(row.getByRole('button', { name: /Remove/ }));
      await inZoes('Enter');
      await reach(page.getByRole('button', { name: 'Remove', exact: true }));
      await inZoes('Enter');
      await row.waitFor({ state: 'detached' });
    });

    it('does not let the last administrator lock themselves out', async () => {
      const { page } = zoe;
      const row = page.locator('tbody tr', { hasText: 'chandlery-users/zoe' });
      await activate(row.getByRole('button', { name: /Remove/ }));
      await activate(page.getByRole('button', { name: 'Remove', exact: true }));
      await page.getByText(/would not be an admin of this project/).waitFor();
      await zoe.screenshot('member-remove-failed');
      await inZoes('Escape');
      await row.waitFor();
    });

    it('shows a second tenant none of it', async () => {
      await using second = await browser.open();
      const { page } = second;
      await signInAt(second, 'onboarding/tenants', await personToken(landscape, 'bob'));
      await page.getByText('No projects').waitFor();
      await second.visit('onboarding/tenants/zoes');
      await page.getByText('Cannot read the project "zoes"').waitFor();
      await second.visit('onboarding/tenants/zoes/dev');
      await page.getByText('Cannot read the workspace "dev"').waitFor();
      assert.doesNotMatch(await page.locator('main').innerText(), /Administrator|Viewer|\bzoe\b/);
      await second.screenshot('tenants-second');
      await second.visit('onboarding/tenants');
      await activate(page.getByRole('button', { name: 'Create a project…' }));
      await type(page.getByRole('dialog').getByRole('textbox').first(), 'zoes');
      await activate(page.getByRole('button', { name: 'Create', exact: true }));
      await page.getByText('Cannot create the project').waitFor();
    });

    it('shows names of tenants as text', async () => {
      const { page } = tab;
      const path = '/clusters/onboarding/apis/core.openmcp.cloud/v1alpha1/projects/zoes';
      const patched = await landscape.request(path, {
        method: 'PATCH',
        headers: { 'content-type': 'application/merge-patch+json' },
        body: { metadata: { annotations: { 'openmcp.cloud/display-name': `${markup}\u202etxt.exe` } } },
      });
      assert.equal(patched.status, 200, patched.text);
      await tab.visit('onboarding/tenants/zoes');
      await page.getByText(markup).first().waitFor();
      await tab.visit('onboarding/tenants');
      await page.getByText(markup).first().waitFor();
      assert.ok(!(await page.locator('main').innerText()).includes('\u202e'));
      assert.equal(await page.locator('main img').count(), 0);
      assert.notEqual(await page.title(), 'broken');
      await tab.screenshot('tenants');
    });
  });

  describe('providers', () => {
    it('shows a provider: how it is deployed, what it brings, and what fails', async () => {
      const { page } = tab;
      await tab.visit('onboarding/providers');
      await installDatabases(peopleOf(landscape).operator);
      await activate(page.getByRole('link', { name: 'postgres', exact: true }));
      await page.locator('.page-head .state-ready').waitFor({ timeout: timeoutMs });
      await page.getByRole('region', { name: 'Deployment' }).getByText('It runs').waitFor();
      await page.getByRole('region', { name: 'What tenants order' }).getByText('PostgresDatabase').waitFor();
      await tab.screenshot('provider');
      const broken = {
        apiVersion: 'openmcp.cloud/v1alpha1',
        kind: 'ServiceProvider',
        metadata: { name: 'broken' },
        spec: { image: 'registry.example.com/nothing:1.2.3' },
      };
      const made = await landscape.request('/clusters/platform/apis/openmcp.cloud/v1alpha1/serviceproviders', {
        body: broken,
      });
      assert.equal(made.status, 201, made.text);
      await tab.visit('onboarding/providers');
      await page.getByRole('link', { name: 'broken', exact: true }).waitFor();
      await tab.screenshot('providers');
      await activate(page.getByRole('link', { name: 'broken', exact: true }));
      await page.getByText('1.2.3', { exact: true }).waitFor();
      await page.locator('.notice').first().waitFor({ timeout: timeoutMs });
      await tab.screenshot('provider-broken');
    });
  });
});
