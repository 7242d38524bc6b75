// The pages of the clouds as a reader follows them: the test server of examples/mesh-clouds, a landscape with the settings
// that it writes, and the documents and commands of the page.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { isJsonObject } from '@chandlery/api';
import { loadServerConfig, silentLogger } from '@chandlery/platform';
import { startLandscape } from '@chandlery/server';
import { eventually, type FoundProgram, findMoto, runProcess, tempFolder, whySkipped } from '@chandlery/testing';
import { parseAllDocuments, stringify } from 'yaml';

const root = join(import.meta.dirname, '../..');
const program = join(root, 'examples/mesh-clouds/test-clouds.ts');
const chandlery = join(root, 'apps/cli/bin/chandlery.mjs');

/** The test server; its lines are read one by one. */
function startTestServer(cloud: string, dir: string) {
  const child = spawn(process.execPath, [program, cloud, '--dir', dir], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const readUntil = async (wanted: RegExp): Promise<string> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`the test server ended before it printed ${wanted.source}`);
      if (wanted.test(value)) return value;
    }
  };
  return {
    readUntil,
    command: async (line: string): Promise<void> => {
      child.stdin.write(`${line}\n`);
      await readUntil(new RegExp(`^done: ${line}$`));
    },
    [Symbol.asyncDispose]: async () => {
      const ended = new Promise(resolve => child.once('exit', resolve));
      child.stdin.write('quit\n');
      await ended;
    },
  };
}

/** The blocks of YAML on a page that are objects. */
async function readObjects(cloud: string): Promise<readonly string[]> {
  const page = await readFile(join(root, `docs/mesh-${cloud}.md`), 'utf8');
  const blocks = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, block = '']) => block);
  return blocks.filter(block => block.startsWith('apiVersion'));
}

/** The kubeconfig of a machine as the common page has it, for a landscape whose administrator has another one. */
async function machineKubeconfig(admin: string): Promise<string> {
  const page = await readFile(join(root, 'docs/mesh-clouds.md'), 'utf8');
  const [, block = ''] = /```yaml\n(apiVersion: v1\nkind: Config\n.*?)```/s.exec(page) ?? [];
  const [, origin = ''] = /server: "?(https:\/\/[^/\s"]+)/.exec(await readFile(admin, 'utf8')) ?? [];
  return block
    .replace('https://landscape.example.com:7443', origin)
    .replace('/etc/mesh/ca.crt', join(dirname(admin), 'ca.crt'));
}

/** The CloudAccount of the page, with the queue of the test server. */
function accountWith(objects: string, events: object, pollSeconds: number): string {
  const account = parseAllDocuments(objects)
    .map(document => document.toJS() as Readonly<Record<string, unknown>>)
    .find(({ kind }) => kind === 'CloudAccount');
  const spec = isJsonObject(account?.['spec']) ? account['spec'] : {};
  const [cloud = ''] = Object.keys(events);
  const own = isJsonObject(spec[cloud]) ? spec[cloud] : {};
  const queue = (events as Readonly<Record<string, object>>)[cloud];
  return stringify({ ...account, spec: { ...spec, [cloud]: { ...own, ...queue }, pollSeconds } });
}

const clouds: Readonly<
  Record<string, { readonly first: FoundProgram; readonly events: object; readonly account: string }>
> = {
  aws: {
    first: await findMoto(),
    events: { aws: { eventQueues: ['arn:aws:sqs:eu-central-1:123456789012:machines'] } },
    account: 'aws-prod',
  },
  azure: {
    first: { path: 'ours' },
    events: { azure: { eventQueue: { storageAccount: 'meshevents', queue: 'machines' } } },
    account: 'azure-prod',
  },
  google: { first: { path: 'ours' }, events: { google: { eventSubscription: 'machines' } }, account: 'google-prod' },
};

for (const [cloud, { first, events, account }] of Object.entries(clouds)) {
  test(`the page of ${cloud} leads to endpoints, events, and a machine that joins`, {
    skip: whySkipped(first),
  }, async () => {
    await using folder = await tempFolder();
    await using server = startTestServer(cloud, folder.join(cloud));
    const shown = await server.readUntil(/^Metadata service:/);
    const metadataUrl = /(http\S+)$/.exec(shown)?.[1] ?? '';
    await server.readUntil(/^Commands:/);
    const config = folder.join(cloud, 'chandlery.yaml');
    const argv = [`--config=${config}`, '--port=0', '--xds-port=0', '--local-clusters=off'];
    const values = loadServerConfig({ argv: [...argv, `--data-dir=${folder.join('data')}`], env: {} }).values;
    await using landscape = await startLandscape(values, { logger: silentLogger });
    const run = async (...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await runProcess(
        process.execPath,
        [chandlery, ...args, '--kubeconfig', landscape.kubeconfigPath],
        { cwd: folder.path, timeoutMs: 60_000 },
      );
      assert.equal(code, 0, stderr);
      return stdout;
    };
    const apply = async (text: string): Promise<void> => {
      await writeFile(folder.join('books.yaml'), text);
      await run('apply', '-f', 'books.yaml');
    };
    const showsMachines = (count: number, more = /./): Promise<boolean> =>
      eventually(
        async () => {
          const text = await run('mesh', 'endpoints', 'shop/books');
          return text.split('\n').filter(line => line.includes(account)).length >= count && more.test(text);
        },
        { what: `${count} machines`, timeoutMs: 60_000, pauseMs: 500 },
      );
    const blocks = await readObjects(cloud);
    const objects = blocks[0] ?? '';
    const rule = blocks.find(block => block.includes('kind: MachineRule')) ?? '';
    await apply(objects);
    await run('apply', '-f', folder.join(cloud, 'secret.yaml'));
    await showsMachines(2);

    await apply(accountWith(objects, events, 3600));
    await eventually(
      async () => (await run('get', 'cloudaccounts', '-n', 'shop', '-o', 'yaml')).includes('Receiving'),
      {
        ...{ what: 'events', timeoutMs: 60_000, pauseMs: 500 },
      },
    );
    await server.command('start books-3');
    await showsMachines(3);

    await apply(rule);
    await writeFile(folder.join('mesh.kubeconfig'), await machineKubeconfig(landscape.kubeconfigPath));
    const joining = ['--rule', 'shop/books', '--cloud', cloud, '--dir', 'machine', '--once'];
    const where = ['--metadata-url', metadataUrl, '--kubeconfig', 'mesh.kubeconfig'];
    const { stdout, stderr } = await runProcess(process.execPath, [chandlery, 'mesh', 'join', ...joining, ...where], {
      ...{ cwd: folder.path, timeoutMs: 60_000 },
    });
    assert.match(stdout, /^Ready: token of books/m, stderr);

    await apply(accountWith(objects, events, 5));
    await server.command('down');
    await showsMachines(3, /May be old/);
    await server.command('up');
  });
}
