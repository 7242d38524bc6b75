import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseYamlDocuments } from '@chandlery/client';
import { runProcess, startTestLandscape, tempFolder } from '@chandlery/testing';
import { root } from './support/release.ts';

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}

/** The metrics that an expression reads. */
const metricsIn = (expression: string): readonly string[] =>
  [...expression.matchAll(/\b((?:chandlery|controller_runtime|fleet_manager|process)_\w+)/g)].map(
    ([, name = '']) => name,
  );

describe('Dashboard and alerts', () => {
  it('read metrics that the landscape has', async () => {
    await using landscape = await startTestLandscape();
    const { text } = await landscape.request('/metrics');
    const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
    const known = new Set(types.flatMap(([, name = '', type]) => (type === 'histogram' ? [`${name}_bucket`] : [name])));
    const dashboard = JSON.parse(await readFile(join(root, 'deploy/monitoring/dashboard.json'), 'utf8')) as Dashboard;
    const file = join(root, 'deploy/monitoring/alerts.yaml');
    const [rules] = parseYamlDocuments(await readFile(file, 'utf8'), file) as unknown as Rules[];
    const expressions = [
      ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
      ...(rules?.groups ?? []).flatMap(group => group.rules.map(({ alert, expr }) => [alert, expr] as const)),
    ];
    assert.ok(expressions.length > 25);
    const unknown = expressions.flatMap(([title, expression]) =>
      metricsIn(expression)
        .filter(name => !known.has(name))
        .map(name => `${title}: ${name}`),
    );
    assert.deepEqual(unknown, []);
  });
});

const hasSystemd = await runProcess('systemd-analyze', ['--version']).then(
  ({ code }) => code === 0,
  () => false,
);

describe('The systemd unit', { skip: hasSystemd ? false : 'there is no systemd-analyze' }, () => {
  it('is valid, and leaves its process few rights', async () => {
    await using folder = await tempFolder();
    const unit = await readFile(join(root, 'deploy/systemd/chandlery.service'), 'utf8');
    await mkdir(folder.join('units'));
    const file = folder.join('units/chandlery.service');
    await writeFile(file, unit.replace('/usr/local/bin/chandlery', '/bin/true'));
    const verified = await runProcess('systemd-analyze', ['verify', file]);
    assert.deepEqual([verified.code, verified.stderr], [0, '']);
    const judged = await runProcess('systemd-analyze', ['security', '--offline=true', '--threshold=25', file]);
    assert.equal(judged.code, 0, judged.stdout);
  });
});
