import { generateKeyPairSync } from 'node:crypto';
import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { fleetManagedLabel, fleetNamespace } from '../../../kinds/index.ts';

const secrets = { group: '', version: 'v1', plural: 'secrets' };
const dataKey = 'account.key';

/** Returns the key of the product's account at its ACME server, made once and kept in a Secret. */
export async function storedAccountKey(client: Client, product: string): Promise<string> {
  const name = `acme-account-${product}`;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  try {
    await client.create(
      { ...secrets, namespace: fleetNamespace },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: fleetNamespace, labels: { [fleetManagedLabel]: 'true' } },
        type: 'Opaque',
        data: { [dataKey]: Buffer.from(pem).toString('base64') },
      },
    );
    return pem;
  } catch (error) {
    if (!isError(error, 'AlreadyExists')) throw error;
    const { data = {} } = (await client.get({ ...secrets, namespace: fleetNamespace, name })) as {
      data?: Record<string, string>;
    };
    return Buffer.from(data[dataKey] ?? '', 'base64').toString();
  }
}
