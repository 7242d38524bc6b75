import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Person } from '../provider-validation/support/people.ts';

const root = join(import.meta.dirname, '../../..');
const example = join(root, 'examples/providers/postgres');

/** Installs the example provider for PostgreSQL from this clone, and waits until its services can be ordered. */
export async function installDatabases(operator: Person): Promise<void> {
  const install = await readFile(join(example, 'install.yaml'), 'utf8');
  await operator.apply(install.replaceAll('folder: examples', `folder: ${root}/examples`));
  await operator.run('wait', '--for=condition=Initialized', 'serviceprovider/postgres', '--timeout=60s');
  await operator.run('apply', '-f', join(example, 'config.yaml'));
  await operator.run('wait', '--for=condition=Ready', 'serviceprovider/postgres', '--timeout=60s');
}
