/** Takes the pictures of the README from a landscape that it starts: `npm run screenshots`. */
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { eventually, findChromium, runProcess, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { type Person, peopleOf, personWith } from '../scenarios/provider-validation/support/people.ts';
import { installDatabases } from '../scenarios/support/install-databases.ts';
import { type ConsoleTab, startConsoleBrowser } from './support/console-browser.ts';

const root = join(import.meta.dirname, '../..');
const pictures = join(root, 'docs/pictures');
const chandlery = join(root, 'apps/cli/bin/chandlery.mjs');

const waitMs = 120_000;

const chromium = await findChromium();
if (chromium.path === undefined) throw new Error(`there is no Chromium to take pictures with: ${chromium.reason}`);
await using landscape = await startTestLandscape();
const buyer = personWith(landscape.kubeconfig, 'onboarding');
await fillLandscape(landscape, buyer);
await using browser = await startConsoleBrowser(landscape, chromium);
await using adminTab = await browser.open();
await signIn(adminTab);
await mkdir(pictures, { recursive: true });
await takePictures(adminTab);

/** Orders what the pictures show: databases, one of them with a mistake, and a service that runs once. */
async function fillLandscape(target: TestLandscape, tenant: Person): Promise<void> {
  await installDatabases(peopleOf(target).operator);
  await tenant.run('create', 'namespace', 'acme');
  for (const [name, version] of Object.entries({ shop: '17', billing: '17', reports: '99' }))
    await tenant.apply(databaseOrder(name, version));
  await runCommand(target, 'service', 'apply', join(root, 'examples/first-minute/hello.yaml'));
  await runCommand(target, 'order', 'create', 'hello', '-p', 'who=Ann', '--wait');
  for (const name of ['shop', 'billing'])
    await tenant.run('wait', '--for=condition=Ready', `serviceinstance/${name}`, '-n', 'acme', '--timeout=120s');
}

function databaseOrder(name: string, version: string): object {
  return {
    apiVersion: 'brokers.chandlery.io/v1alpha1',
    kind: 'ServiceInstance',
    metadata: { name, namespace: 'acme' },
    spec: { offeringName: 'postgresdatabase', planName: 'default', parameters: { version } },
  };
}

async function runCommand({ dataDir }: TestLandscape, ...args: readonly string[]): Promise<void> {
  const all = [chandlery, ...args, '--data-dir', dataDir];
  const { code, stderr } = await runProcess(process.execPath, all, { timeoutMs: waitMs });
  if (code !== 0) throw new Error(`"chandlery ${args.join(' ')}" ended with ${code}: ${stderr}`);
}

/** Waits until the console has been built, and signs in as the administrator. */
async function signIn(tab: ConsoleTab): Promise<void> {
  await eventually(
    async () => {
      await tab.goto('onboarding/home');
      return tab.page.getByRole('heading', { name: 'Sign in to Chandlery' }).isVisible();
    },
    { timeoutMs: waitMs, what: 'the console to be built' },
  );
  await tab.signIn(landscape.token);
  await tab.page.getByRole('heading', { name: 'Home' }).waitFor();
}

async function takePictures(tab: ConsoleTab): Promise<void> {
  const { page } = tab;
  await tab.visit('onboarding/home?ns=acme');
  await page.getByText(/CreationFailed.*"99" is not offered/).waitFor();
  await keep(page, 'console-home');
  await tab.visit('onboarding/object/brokers.chandlery.io/serviceinstances/acme/shop?tab=relations');
  await page.getByRole('link', { name: /^PostgresDatabase\// }).waitFor();
  await page.emulateMedia({ colorScheme: 'dark' });
  await keep(page, 'console-relations');
}

async function keep(page: ConsoleTab['page'], name: string): Promise<void> {
  const path = join(pictures, `${name}.png`);
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.screenshot({ path });
  console.log(relative(process.cwd(), path));
}
