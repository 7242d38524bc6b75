import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { type Clock, loadServerConfig, silentLogger } from '@chandlery/platform';
import { type RunningLandscape, startLandscape } from '@chandlery/server';
import { eventually, findChromium, type TempFolder, tempFolder, whySkipped } from '@chandlery/testing';
import { type Person, personWith } from '../scenarios/provider-validation/support/people.ts';
import { activate, reach, reasonAt, typeMoment } from './support/by-keyboard.ts';
import { type ConsoleBrowser, type ConsoleTab, startConsoleBrowser } from './support/console-browser.ts';
import { signInTo } from './support/console-people.ts';

const chromium = await findChromium();
const dayMs = 24 * 60 * 60_000;

/** The clock of the machine, some time ago. */
class ShiftedClock implements Clock {
  shiftMs = 0;

  now(): Date {
    return new Date(Date.now() + this.shiftMs);
  }
}

const rota = (watch: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'rota', namespace: 'acme' },
  data: { watch },
});

const hostile = '<img src=x onerror="document.title=\'broken\'">\u202e';

describe('History in the console', { skip: whySkipped(chromium) }, () => {
  const clock = new ShiftedClock();
  let folder: TempFolder;
  let landscape: RunningLandscape;
  let person: Person;
  let browser: ConsoleBrowser;
  let tab: ConsoleTab;

  before(async () => {
    folder = await tempFolder();
    const argv = ['--port=0', '--xds-port=0', `--data-dir=${folder.join('data')}`, '--local-clusters=off'];
    landscape = await startLandscape(loadServerConfig({ argv, env: {} }).values, { logger: silentLogger, clock });
    person = personWith(landscape.kubeconfigPath, 'onboarding');
    await person.run('create', 'namespace', 'acme');
    clock.shiftMs = -dayMs;
    await person.applyAs('morning', rota('first'));
    clock.shiftMs = -dayMs / 2;
    await person.applyAs('noon', rota('second'));
    clock.shiftMs = 0;
    await person.applyAs('today', rota('third'));
    browser = await startConsoleBrowser(landscape, chromium);
    tab = await browser.open();
    await signInTo(tab, (await readFile(landscape.tokenPath, 'utf8')).trim());
  });
  after(async () => {
    await tab?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await landscape?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await tab.page.keyboard.press(key);
  };
  const watchOf = async (): Promise<string | undefined> =>
    (await person.find<{ data?: Record<string, string> }>('configmap', 'rota', 'acme'))?.data?.['watch'];
  const rows = () => tab.page.getByRole('region', { name: 'Revisions' }).locator('tbody tr');
  const address = 'onboarding/object/core/configmaps/acme/rota';

  it('lists the revisions of an object, the newest first', async () => {
    const { page } = tab;
    await press('Control+k');
    await page.keyboard.type('rota');
    await page.getByRole('option', { name: /rota/ }).waitFor();
    await press('Enter');
    await reach(page.getByRole('tab', { name: 'Overview' }));
    await press('ArrowLeft');
    await eventually(async () => (await rows().count()) === 3, { what: 'three revisions' });
    const texts = await rows().allInnerTexts();
    assert.match(texts[0] ?? '', /present[\s\S]*Updated[\s\S]*today[\s\S]*data\.watch/);
    assert.match(texts[2] ?? '', /24h[\s\S]*Created[\s\S]*morning/);
    await tab.screenshot('history');
  });

  it('compares any two revisions, and the address says which', async () => {
    const { page } = tab;
    await activate(page.getByRole('radio', { name: /^Compare from revision/ }).nth(2));
    await activate(page.getByRole('radio', { name: /^Compare to revision/ }).nth(0));
    const comparison = page.getByRole('region', { name: 'Comparison' });
    await comparison.getByRole('textbox').waitFor();
    const text = await comparison.getByRole('textbox').innerText();
    assert.match(text, /first/);
    assert.match(text, /third/);
    assert.match(page.url(), /from=\d+&to=\d+/);
    await tab.screenshot('history-compare');
  });

  it('shows an object as it was yesterday, by a time in the address', async () => {
    const { page } = tab;
    const yesterday = new Date(Date.now() - dayMs + 3_600_000);
    await tab.visit(`${address}?tab=history`);
    await eventually(async () => (await rows().count()) === 3, { what: 'the history' });
    await typeMoment(page.getByLabel('As of'), yesterday);
    await press('Enter');
    await page.getByText(/^The past/).waitFor();
    await page.locator('.fact', { hasText: 'watch' }).getByText('first').waitFor();
    assert.match(page.url(), /at=\d{4}-\d\d-\d\dT/);
    assert.equal(await page.getByRole('button', { name: 'Delete…' }).count(), 0);
    await tab.screenshot('history-past');
    await activate(page.getByRole('tab', { name: 'YAML' }));
    const edit = page.getByRole('button', { name: 'Edit' });
    assert.match(await reasonAt(edit), /earlier version/);
    await reach(page.getByRole('button', { name: 'Show the present' }));
    await press('Enter');
    await activate(page.getByRole('tab', { name: 'Overview' }));
    await page.locator('.fact', { hasText: 'watch' }).getByText('third').waitFor();
    await tab.visit(`${address}?at=2001-01-01T00:00:00Z`);
    await page.getByText('Cannot read ConfigMap "rota" as it was').waitFor();
  });

  it('restores a revision by keyboard alone, after it was checked, as a new revision', async () => {
    const { page } = tab;
    await tab.visit(`${address}?tab=history`);
    await eventually(async () => (await rows().count()) === 3, { what: 'the history' });
    await reach(
      rows()
        .nth(2)
        .getByRole('button', { name: /^Restore revision/ }),
    );
    await press('Enter');
    const panel = page.getByRole('region', { name: /^Restore revision/ });
    await panel.getByRole('textbox').waitFor();
    assert.match(await panel.getByRole('textbox').innerText(), /first/);
    await reach(page.getByLabel('As of'));
    await reach(page.getByRole('button', { name: 'Check' }));
    await press('Enter');
    await page.getByText('The server would accept this').waitFor();
    assert.equal(await watchOf(), 'third');
    await tab.screenshot('history-restore');
    await reach(page.getByRole('button', { name: 'Restore', exact: true }));
    await press('Enter');
    await page.getByText('✓ Restored').waitFor();
    assert.equal(await watchOf(), 'first');
    await eventually(async () => (await rows().count()) === 4, { what: 'the new revision' });
  });

  it('writes nothing when the object was changed meanwhile', async () => {
    const { page } = tab;
    await tab.visit(`${address}?tab=history`);
    await activate(
      rows()
        .nth(2)
        .getByRole('button', { name: /^Restore revision/ }),
    );
    await page
      .getByRole('region', { name: /^Restore revision/ })
      .getByRole('textbox')
      .waitFor();
    await person.applyAs('today', rota('fourth'));
    await page.getByText('This object was changed while you looked').waitFor();
    const restore = page.getByRole('button', { name: 'Restore', exact: true });
    assert.equal(await restore.getAttribute('aria-disabled'), 'true');
    assert.equal(await watchOf(), 'fourth');
    await tab.screenshot('history-conflict');
    await activate(page.getByRole('button', { name: 'Compare again' }));
    await activate(restore);
    await page.getByText('✓ Restored').waitFor();
    assert.equal(await watchOf(), 'second');
  });

  it('opens a deleted object by its address, and brings it back', async () => {
    const { page } = tab;
    await person.run('delete', 'configmap', 'rota', '-n', 'acme');
    await tab.visit('onboarding/home');
    await tab.visit(address);
    await page.getByText('There is no ConfigMap "rota" now').waitFor();
    await page.getByText('✗ Deleted').waitFor();
    await tab.screenshot('history-deleted');
    await activate(page.getByRole('button', { name: /^Restore revision/ }).nth(1));
    await page.getByText('It is created again with this content').waitFor();
    await activate(page.getByRole('button', { name: 'Restore', exact: true }));
    await page.getByText('✓ Restored').waitFor();
    assert.equal(await watchOf(), 'second');
  });

  it('says why a kind has no history, and shows text of tenants as text', async () => {
    const { page } = tab;
    await person.run('create', 'secret', 'generic', 'keys', '-n', 'acme', '--from-literal=a=b');
    await tab.visit('onboarding/object/core/secrets/acme/keys?tab=history');
    await page.getByText('Secret has no history').waitFor();
    await page.getByText(/revisions of Secret are not kept/).waitFor();
    await tab.screenshot('history-none');
    await person.applyAs('today', { ...rota('fifth'), data: { watch: hostile } });
    await tab.visit(`${address}?tab=history`);
    await rows().first().getByText('present', { exact: true }).waitFor();
    await activate(page.getByRole('radio', { name: /^Compare from revision/ }).nth(1));
    await activate(page.getByRole('radio', { name: /^Compare to revision/ }).nth(0));
    await page.getByRole('region', { name: 'Comparison' }).getByRole('textbox').waitFor();
    assert.equal(await page.locator('main img[src]').count(), 0);
    assert.notEqual(await page.title(), 'broken');
  });

  it('shows a reader the history of what they may get, and why they may not restore', async () => {
    await person.run('create', 'serviceaccount', 'reader', '-n', 'acme');
    await person.run(
      'create',
      'rolebinding',
      'reader',
      '-n',
      'acme',
      '--clusterrole=view',
      '--serviceaccount=acme:reader',
    );
    const token = (await person.run('create', 'token', 'reader', '-n', 'acme')).trim();
    await using theirs = await browser.open();
    const { page } = theirs;
    await signInTo(theirs, token, `${address}?tab=history`);
    await activate(page.getByRole('button', { name: /^Restore revision/ }).nth(1));
    const restore = page.getByRole('button', { name: 'Restore', exact: true });
    await eventually(async () => (await reasonAt(restore)).includes('roles do not include'), {
      what: 'the reason why it cannot be restored',
    });
    await theirs.visit('onboarding/object/core/configmaps/default/kube-root-ca.crt?tab=history');
    await page.getByText(/Cannot read ConfigMap/).waitFor();
  });
});
