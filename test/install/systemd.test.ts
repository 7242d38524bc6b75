import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runProcess, tempFolder } from '@chandlery/testing';
import { root } from './support/release.ts';

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
