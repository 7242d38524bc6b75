import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { tempFolder } from '@chandlery/testing';
import { blocksOf, Terminal } from './support/terminal.ts';

test('docs/orders.md and docs/catalogue.md work as written', async () => {
  await using folder = await tempFolder();
  await using terminal = await Terminal.open(folder.path);
  const [hello = ''] = await blocksOf('docs/orders.md', 'yaml');
  await writeFile(folder.join('hello.yaml'), hello);
  const blocks = [...(await blocksOf('docs/orders.md')), ...(await blocksOf('docs/catalogue.md'))];
  // A link of a server that starts responds 503 at first.
  const script = ['curl() { command curl -sS --fail --retry 20 "$@"; }', ...blocks]
    .join('\n')
    .replaceAll('127.0.0.1:7443', `127.0.0.1:${terminal.port}`)
    .replaceAll(/^(npx chandlery project create books --wait)$/gm, 'npx chandlery project get books || $1');
  const output = await terminal.run(script);
  for (const expected of [
    /^--msg world$/m,
    /"answer":42/,
    /Deployment\/service-\S+ \(orders-default\) +✔ ready/,
    /^GET \/some\/path\?x=1$/m,
    /Hello, Ann!$/m,
    /^rex is ready$/m,
    /The visibility "service-manager dinosaurs\/eval\.x1" is deleted/,
    /^ServiceInstance\/\S+ "rex" \(project-books--ws-shop\) +✔ ready/m,
  ]) {
    assert.match(output, expected);
  }
  await terminal.server.stop();
});
