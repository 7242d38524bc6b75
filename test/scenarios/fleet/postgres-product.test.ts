import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseYamlDocuments } from '@chandlery/client';
import pg from 'pg';
import { type FleetLandscape, type PublicInstance, startFleetLandscape } from './support/fleet-landscape.ts';

const root = join(import.meta.dirname, '../../..');
const example = join(root, 'examples/products/postgres');

/** A product from outside of the repository: its configuration, its program, and a real database behind each order. */
describe('PostgreSQL as a product of the fleet', () => {
  let fleet: FleetLandscape;
  let shop: PublicInstance;
  before(async () => {
    fleet = await startFleetLandscape();
  });
  after(() => fleet[Symbol.asyncDispose]());

  const kubectl = async (context: string, ...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await fleet.landscape.cluster(context).kubectl(args);
    assert.equal(code, 0, stderr);
    return stdout;
  };

  /** Connects by the name of the host, as libpq does with hostaddr. */
  async function query(statement: string): Promise<readonly object[]> {
    const secret = ['get', 'secret', `instance-${shop.id}`, '-n', 'fleet', '-o', 'jsonpath={.data.client-secret}'];
    const password = Buffer.from(await kubectl('onboarding', ...secret), 'base64').toString();
    const { hostname, port } = new URL((shop.admin_api_server_url ?? '').replace('postgresql:', 'https:'));
    const ssl = { ca: fleet.landscape.ca, servername: hostname };
    const client = new pg.Client({ host: '127.0.0.1', port: Number(port), user: 'postgres', password, ssl });
    await client.connect();
    try {
      return (await client.query(statement)).rows as object[];
    } finally {
      await client.end();
    }
  }

  it('is offered by three files', async () => {
    const install = (await readFile(join(example, 'install.yaml'), 'utf8')).replace('folder: ', `folder: ${root}/`);
    const applied = await fleet.landscape.cluster('platform').kubectl(['apply', '-f', '-'], { stdin: install });
    assert.equal(applied.code, 0, applied.stderr);
    const [document] = parseYamlDocuments(
      await readFile(join(example, 'configuration.yaml'), 'utf8'),
      'configuration.yaml',
    );
    await fleet.configure(document as Record<string, unknown>);
    const patch = ['--type=merge', '--patch-file', join(example, 'product.yaml')];
    await kubectl('onboarding', 'patch', 'fleetproduct', 'postgres', ...patch);
  });

  it('is ordered and used over TLS, by its name, with a certificate that verifies', async () => {
    const { id } = await fleet.order('postgres', 'shop');
    shop = await fleet.untilState('postgres', id, 'ready');
    assert.match(shop.admin_api_server_url ?? '', /^postgresql:/);
    await query('CREATE TABLE boats AS SELECT 42 AS id');
    assert.deepEqual(await query('SELECT id FROM boats'), [{ id: 42 }]);
    assert.deepEqual(await query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'), [{ ssl: true }]);
  });

  it('is deleted with its data', async () => {
    await fleet.ask('DELETE', `/api/postgres_mgmt/v1/postgres/${shop.id}?async=true`);
    await fleet.untilGone('postgres', shop.id);
    await assert.rejects(query('SELECT 1'));
  });
});
