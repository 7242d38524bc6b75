// npx node examples/mesh-clouds/test-clouds.ts aws|azure|google [--dir DIR]: a test server of a cloud, with two machines
// of a service, a queue of events and a metadata service. Reads commands from its input.
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { startRelay } from '../../domains/mesh/src/endpoints/clouds/test-cloud-world.ts';
import { startDemoAws } from './demo-aws.ts';
import { startDemoAzure } from './demo-azure.ts';
import type { DemoCloud, DemoState } from './demo-cloud.ts';
import { startDemoGoogle } from './demo-google.ts';

const starts: Readonly<Record<string, (addressOf: () => string) => Promise<DemoCloud>>> = {
  ...{ aws: startDemoAws, azure: startDemoAzure, google: startDemoGoogle },
};
const states: Readonly<Record<string, DemoState>> = {
  ...{ start: 'healthy', drain: 'draining', fail: 'unhealthy', remove: 'gone' },
};
const help = 'Commands: start|drain|fail|remove NAME, down, up, quit.';

async function startMetadataService(cloud: DemoCloud): Promise<string> {
  const server = createServer(({ method = '', url = '/' }, response) => {
    void cloud.readMetadata({ method, url: new URL(url, 'http://metadata') }).then(text => {
      response.writeHead(text === undefined ? 404 : 200).end(text);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function writeFiles(dir: string, name: string, url: string, { secret, settings }: DemoCloud) {
  await mkdir(dir, { recursive: true });
  const [config, secretFile] = [join(dir, 'chandlery.yaml'), join(dir, 'secret.yaml')];
  await writeFile(config, stringify({ clouds: { testEndpoints: { [name]: url }, ...settings } }));
  const metadata = { name: secret.name, namespace: 'shop' };
  await writeFile(secretFile, stringify({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: secret.entries }));
  return { config, secretFile };
}

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { dir: { type: 'string' } }, allowPositionals: true });
  const [name = ''] = positionals;
  const start = starts[name];
  if (start === undefined) throw new Error('name one of the clouds aws, azure, google');
  let address = '';
  const cloud = await start(() => address);
  const relay = await startRelay(cloud.url);
  address = relay.url;
  for (const machine of ['books-1', 'books-2']) await cloud.set(machine, 'healthy');
  const { config, secretFile } = await writeFiles(resolve(values.dir ?? `.test-${name}`), name, relay.url, cloud);
  console.log(
    `API of the cloud:          ${relay.url}\nMetadata service:          ${await startMetadataService(cloud)}`,
  );
  console.log(`Settings of the landscape: ${config}\nSecret with credentials:   ${secretFile}\n${help}`);
  for await (const line of createInterface({ input: process.stdin })) {
    const [verb = '', machine = ''] = line.trim().split(/\s+/);
    if (verb === 'quit') break;
    console.log(await carryOut(verb, machine, { cloud, relay }));
  }
}

interface Demo {
  readonly cloud: DemoCloud;
  readonly relay: { cut(): void; heal(): void };
}

/** Carries out a command; resolves with what is printed. A change is made, and its event is put into the queue. */
async function carryOut(verb: string, machine: string, { cloud, relay }: Demo): Promise<string> {
  const state = states[verb];
  if (verb === 'down') relay.cut();
  else if (verb === 'up') relay.heal();
  else if (state === undefined || machine === '') return help;
  else {
    try {
      await cloud.set(machine, state);
      await cloud.notify(machine);
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : String(thrown);
    }
  }
  return `done: ${verb} ${machine}`.trim();
}

try {
  await run();
  process.exit(0);
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : thrown);
  process.exit(1);
}
