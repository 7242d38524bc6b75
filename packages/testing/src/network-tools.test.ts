import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNoNetworks } from './network-tools.ts';
import { runProcess } from './run-process.ts';

const reason = await whyNoNetworks();

test('a namespace has a network of its own, in which nothing of the machine is seen', {
  skip: reason ?? false,
}, async () => {
  const { code, stdout, stderr } = await runProcess('unshare', ['--net', 'ip', '-oneline', 'link']);
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    stdout
      .trim()
      .split('\n')
      .map(line => line.split(':')[1]?.trim())
      .filter(name => name !== 'lo' && !name?.includes('@')),
    [],
  );
});
